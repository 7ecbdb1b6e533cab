internal import System

/// Walks over the chunks of a PNG file once, from the signature to IEND.
enum PNGWalk {
    /// The greatest length of a chunk, and the greatest width and height (section 5.3 of the specification).
    static let greatestNumber = 0x7FFF_FFFF
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The bytes around the data of a chunk: length and type before it, checksum behind it.
    private static let frameByteCount = 12

    /// One chunk: its place in the file, its type and the place of its data.
    private struct Chunk {
        let offset: Int
        let type: String
        let data: Range<Int>
        /// A decoder must understand a critical chunk, whose type begins with an upper-case letter.
        var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? false }
    }

    /// What came so far, for the rules of order (section 5.6 of the specification).
    private struct Progress {
        var hasPalette = false
        var hasData = false
        /// True when another chunk stood behind the image data, so that no more data may come.
        var hasLeftData = false
    }

    static func facts(of bytes: Span<UInt8>) throws(PNGError) -> PNGFacts {
        guard bytes.count >= signature.count else { throw .notPNG }
        for index in signature.indices where bytes[index] != signature[index] { throw .notPNG }
        let header = try chunk(in: bytes, at: signature.count)
        guard header.type == "IHDR" else { throw .damaged("a wrong header (IHDR)") }
        var facts = try PNGFacts(header: bytes.extracting(header.data))
        var progress = Progress()
        var next = header
        while next.type != "IEND" {
            next = try chunk(in: bytes, at: next.data.upperBound + 4)
            guard note(next, in: &facts, &progress) else {
                throw .damaged("a wrong or misplaced chunk at byte \(next.offset)")
            }
        }
        guard progress.hasData, progress.hasPalette || facts.colorType != .palette else {
            throw .damaged("no image data, or no palette")
        }
        facts.trailingByteCount = bytes.count - (next.data.upperBound + 4)
        return facts
    }

    /// Reads the frame of the chunk at `offset`, which is at most `bytes.count`, and compares its checksum.
    private static func chunk(in bytes: Span<UInt8>, at offset: Int) throws(PNGError) -> Chunk {
        guard bytes.count - offset >= frameByteCount, let length = bytes.bigEndian(at: offset) else {
            throw .damaged("ends inside the chunk at byte \(offset)")
        }
        let letters = (offset + 4..<offset + 8).map { bytes[$0] }
        guard length <= greatestNumber, letters.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }) else {
            throw .damaged("a wrong or misplaced chunk at byte \(offset)")
        }
        guard length <= bytes.count - offset - frameByteCount else {
            throw .damaged("ends inside the chunk at byte \(offset)")
        }
        let data = offset + 8..<offset + 8 + length
        let chunk = Chunk(offset: offset, type: String(decoding: letters, as: UTF8.self), data: data)
        let checksum = CRC32.checksum(bytes.extracting(offset + 4..<data.upperBound), .iso3309)
        guard bytes.bigEndian(at: data.upperBound) == Int(checksum) else {
            throw .damaged("a wrong checksum of the chunk \(chunk.type) at byte \(offset)")
        }
        return chunk
    }

    /// Takes in what a chunk behind the header says. Returns false for a chunk that must not stand there.
    private static func note(_ chunk: Chunk, in facts: inout PNGFacts, _ progress: inout Progress) -> Bool {
        if chunk.type == "IDAT" {
            progress.hasData = true
            return !progress.hasLeftData
        }
        progress.hasLeftData = progress.hasData
        switch chunk.type {
        case "IEND": return chunk.data.isEmpty
        case "PLTE":
            let isAllowed = facts.colorType != .grey && facts.colorType != .greyAlpha
            let isWhole = (3...768).contains(chunk.data.count) && chunk.data.count.isMultiple(of: 3)
            guard isAllowed, isWhole, !progress.hasPalette, !progress.hasData else { return false }
            progress.hasPalette = true
        // Behind the image data, neither of the two has an effect.
        case "tRNS": facts.hasTransparencyChunk = facts.hasTransparencyChunk || !progress.hasData
        case "iCCP" where !progress.hasData && !progress.hasPalette:
            facts.profile = facts.profile ?? chunk.offset..<chunk.data.upperBound + 4
        case "acTL": facts.isAnimated = facts.isAnimated || !progress.hasData
        default: return !chunk.isCritical
        }
        return true
    }
}
