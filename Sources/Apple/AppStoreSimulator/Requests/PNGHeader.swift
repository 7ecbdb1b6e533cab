internal import System

/// The facts about a PNG that Apple's rules for images need. The pixels are not decoded.
///
/// Source: PNG Specification (Third Edition), sections 5.2, 5.3 and 11.2. This reader is not the one with which the project
/// checks images before it uploads them, so that neither can hide a mistake of the other.
struct PNGHeader: Hashable {
    /// The width in pixels.
    let width: Int
    /// The height in pixels.
    let height: Int
    /// True when the image has an alpha channel or a transparent colour.
    let hasTransparency: Bool

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The bit depths that each colour type allows: grey, true colour, palette, grey with alpha, true colour with alpha.
    private static let depths: [UInt8: [UInt8]] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    /// Reads a PNG. Returns nil unless the bytes are a signature and whole chunks with right checksums: IHDR first, at least
    /// one IDAT, IEND last.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 8, (0..<8).allSatisfy({ bytes[$0] == Self.signature[$0] }) else { return nil }
        var position = 8
        var header: (width: Int, height: Int, colour: UInt8)?
        var hasPixels = false
        var hasTransparentColour = false
        while true {
            guard let chunk = Chunk(bytes, at: position) else { return nil }
            position += 12 + chunk.byteCount
            switch (chunk.name, header) {
            case ("IHDR", nil): header = Self.header(bytes, chunk)
            case ("IDAT", _?): hasPixels = true
            case ("tRNS", _?): hasTransparentColour = true
            case ("IEND", let header?):
                guard hasPixels, chunk.byteCount == 0, position == bytes.count else { return nil }
                width = header.width
                height = header.height
                hasTransparency = hasTransparentColour || header.colour == 4 || header.colour == 6
                return
            case ("IHDR", _): return nil
            default: break
            }
            if header == nil { return nil }
        }
    }

    /// Reads IHDR: width (4), height (4), bit depth, colour type, compression, filter, interlace.
    private static func header(_ bytes: Span<UInt8>, _ chunk: Chunk) -> (Int, Int, UInt8)? {
        guard chunk.byteCount == 13 else { return nil }
        let start = chunk.start
        let (width, height) = (number(bytes, at: start), number(bytes, at: start + 4))
        let colour = bytes[start + 9]
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height),
            depths[colour]?.contains(bytes[start + 8]) == true,
            bytes[start + 10] == 0, bytes[start + 11] == 0, bytes[start + 12] <= 1
        else { return nil }
        return (width, height, colour)
    }

    /// Reads a big-endian number of four bytes, which must lie inside the bytes.
    private static func number(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    /// One chunk: length (4), name (4), content, checksum (4).
    private struct Chunk {
        let name: String
        let start: Int
        let byteCount: Int

        init?(_ bytes: Span<UInt8>, at offset: Int) {
            guard bytes.count - offset >= 12 else { return nil }
            let length = PNGHeader.number(bytes, at: offset)
            guard length <= bytes.count - offset - 12 else { return nil }
            let checked = bytes.extracting(offset + 4..<offset + 8 + length)
            let checksum = PNGHeader.number(bytes, at: offset + 8 + length)
            guard CRC32.checksum(checked, .iso3309) == UInt32(checksum) else { return nil }
            name = String(decoding: (0..<4).map { checked[$0] }, as: UTF8.self)
            start = offset + 8
            byteCount = length
        }
    }
}
