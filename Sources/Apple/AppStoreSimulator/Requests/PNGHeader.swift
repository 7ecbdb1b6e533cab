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

    /// Reads a PNG. Returns nil unless the bytes are a signature and whole chunks with right checksums: IHDR first (width,
    /// height, bit depth, colour type, …), at least one IDAT, IEND last.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 8, (0..<8).allSatisfy({ bytes[$0] == Self.signature[$0] }),
            let header = Chunk(bytes, at: 8), header.name == "IHDR", header.byteCount == 13
        else { return nil }
        width = Self.number(bytes, at: header.start)
        height = Self.number(bytes, at: header.start + 4)
        let colour = bytes[header.start + 9]
        var names: Set<String> = []
        var position = 33
        while let chunk = Chunk(bytes, at: position) {
            names.insert(chunk.name)
            position += 12 + chunk.byteCount
        }
        hasTransparency = names.contains("tRNS") || colour == 4 || colour == 6
        guard position == bytes.count, names.isSuperset(of: ["IDAT", "IEND"]) else { return nil }
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
