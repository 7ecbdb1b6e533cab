import System

/// PNG files of any header, whose pixels nobody decodes.
enum TestPNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let full = make(width: 3840, height: 160)
    static let bullet = make(width: 1024, height: 1024)

    static func make(
        width: Int, height: Int, colour: UInt8 = 2
    ) -> [UInt8] {
        let header = bigEndian(width) + bigEndian(height) + [8, colour, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", [1, 2, 3])
            + chunk("IEND")
    }

    static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bigEndian(content.count) + checked + bigEndian(Int(CRC32.checksum(checked.span, .iso3309)))
    }

    static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
