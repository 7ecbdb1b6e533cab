internal import System

/// A PNG for tests, made without zlib: its pixels are stored and not compressed (RFC 1951 section 3.2.4).
package struct TestPNG: Sendable {
    package var width: UInt32
    package var height: UInt32
    package var bitDepth: UInt8 = 8
    package var colorType: UInt8 = 2
    package var isInterlaced = false
    package var fill: UInt8 = 0xFF
    package var patches: [(row: Int, byte: Int, value: UInt8)] = []
    package var chunks: [(type: String, data: [UInt8])] = []

    package init(_ width: UInt32, _ height: UInt32) {
        self.width = width
        self.height = height
    }

    private var pixelBits: Int {
        let numbers: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
        return (numbers[colorType] ?? 1) * Int(bitDepth)
    }

    private var passes: [(width: Int, height: Int)] {
        let (width, height) = (Int(width), Int(height))
        guard isInterlaced else { return [(width, height)] }
        let steps = [
            (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2),
        ]
        return steps.map { x, xStep, y, yStep in
            (max(0, (width - x + xStep - 1) / xStep), max(0, (height - y + yStep - 1) / yStep))
        }
        .filter { $0.0 > 0 && $0.1 > 0 }
    }

    private var rows: [UInt8] {
        var rows: [UInt8] = []
        for pass in passes {
            let row = [0] + [UInt8](repeating: fill, count: (pass.width * pixelBits + 7) / 8)
            for _ in 0..<pass.height { rows += row }
        }
        let rowByteCount = 1 + (Int(width) * pixelBits + 7) / 8
        for patch in patches { rows[patch.row * rowByteCount + 1 + patch.byte] = patch.value }
        return rows
    }

    package var header: [UInt8] {
        Self.number(width) + Self.number(height) + [bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0]
    }

    package func bytes() -> [UInt8] {
        let middle = chunks.flatMap { Self.chunk($0.type, $0.data) }
        return Self.signature + Self.chunk("IHDR", header) + middle + Self.chunk("IDAT", Self.stored(rows))
            + Self.chunk("IEND", [])
    }

    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + data
        return number(UInt32(data.count)) + checked + number(CRC32.checksum(checked.span, .iso3309))
    }

    /// Returns bytes in zlib's form (RFC 1950), in stored blocks.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 0xFFFF, bytes.count)
            let length = UInt16(end - start)
            let low = UInt8(truncatingIfNeeded: length)
            let high = UInt8(truncatingIfNeeded: length >> 8)
            result += [end == bytes.count ? 1 : 0, low, high, ~low, ~high]
            result += bytes[start..<end]
            start = end
        } while start < bytes.count
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return result + number(b << 16 | a)
    }

    package static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
