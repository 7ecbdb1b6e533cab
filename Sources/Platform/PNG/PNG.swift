internal import System

/// The reason why bytes are not a PNG that can be shown.
package enum PNGError: Error, Hashable, CustomStringConvertible {
    case notPNG
    case damaged(String)

    package var description: String {
        switch self {
        case .notPNG: "no PNG signature"
        case .damaged(let words): words
        }
    }
}

/// What the chunks of a PNG file say. Pixels are not decoded.
///
/// Source: Portable Network Graphics (PNG) Specification, third edition (W3C), sections 5.2, 5.3 and 11.2.
package struct PNGFacts: Sendable, Hashable {
    package let width: Int
    package let height: Int
    /// True when pixels have an opacity, or some colours are transparent.
    package let mayBeTransparent: Bool

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The greatest width and height (section 5.3).
    private static let greatestNumber = 0x7FFF_FFFF

    /// Reads the chunks of a whole file, with their checksums: IHDR first, at least one IDAT, IEND.
    package init(reading bytes: Span<UInt8>) throws(PNGError) {
        let signature = Self.signature
        guard bytes.count >= signature.count, signature.indices.allSatisfy({ bytes[$0] == signature[$0] })
        else { throw .notPNG }
        let header = try Chunk(bytes, at: signature.count)
        guard header.name == "IHDR", header.data.count == 13 else {
            throw .damaged("a wrong header (IHDR)")
        }
        let start = header.data.lowerBound
        (width, height) = (bytes.bigEndian(at: start), bytes.bigEndian(at: start + 4))
        guard (1...Self.greatestNumber).contains(width), (1...Self.greatestNumber).contains(height) else {
            throw .damaged("a wrong header (IHDR)")
        }
        var names: Set<String> = []
        var chunk = header
        while chunk.name != "IEND" {
            chunk = try Chunk(bytes, at: chunk.data.upperBound + 4)
            names.insert(chunk.name)
        }
        guard names.contains("IDAT") else { throw .damaged("no image data") }
        // The colour types 4 and 6 have an alpha channel.
        mayBeTransparent = names.contains("tRNS") || [4, 6].contains(bytes[start + 9])
    }

    /// One chunk: length (4), name (4), data, checksum (4).
    private struct Chunk {
        let name: String
        let data: Range<Int>

        init(_ bytes: Span<UInt8>, at offset: Int) throws(PNGError) {
            guard bytes.count - offset >= 12, bytes.bigEndian(at: offset) <= bytes.count - offset - 12 else {
                throw .damaged("ends inside the chunk at byte \(offset)")
            }
            data = offset + 8..<offset + 8 + bytes.bigEndian(at: offset)
            let checked = bytes.extracting(offset + 4..<data.upperBound)
            name = String(decoding: (0..<4).map { checked[$0] }, as: UTF8.self)
            guard CRC32.checksum(checked, .iso3309) == UInt32(bytes.bigEndian(at: data.upperBound)) else {
                throw .damaged("a wrong checksum of the chunk at byte \(offset)")
            }
        }
    }
}

extension Span<UInt8> {
    /// Reads four bytes from `offset`, which must be inside.
    fileprivate func bigEndian(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(self[offset + $1]) }
    }
}
