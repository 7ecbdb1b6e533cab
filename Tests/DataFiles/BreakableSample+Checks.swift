import DataFileWriting
import DataFiles
import Support
import Testing

/// What every kind of file must stand.
extension BreakableSample {
    /// Cuts the file off and lengthens it.
    static func checkTruncations() {
        for count in Set(stride(from: 0, to: bytes.count, by: 64)).union(0..<160) {
            let cut = Array(bytes[..<count])
            #expect(refusal(cut) == "data-file.truncated", "\(count) bytes")
            #expect(refusal(DataFileHeader.resealed(cut)) == "data-file.truncated", "\(count) bytes")
            fuzz(cut)
        }
        #expect(refusal(bytes + [0]) == "data-file.trailing-bytes")
        #expect(refusal(bytes + [UInt8](repeating: 0, count: 64)) == "data-file.trailing-bytes")
    }

    /// Flips every bit of the header in turn and holds the codes, a line a byte, against a golden file.
    ///
    /// - Parameters:
    ///   - golden: the golden file.
    ///   - isResealed: whether the digest is made to fit afterwards.
    ///   - mayOpen: the bytes of the header that may be something else.
    /// - Throws: why the golden file cannot be read.
    static func checkHeaderBits(
        golden: String,
        resealed isResealed: Bool = false,
        mayOpen: Set<Int> = []
    ) throws {
        var lines = ""
        for offset in 0..<DataFileHeader.byteCount {
            let codes = (0..<8).map { bit in
                var flipped = bytes
                flipped[offset] ^= 1 << UInt8(bit)
                if isResealed { flipped = DataFileHeader.resealed(flipped) }
                let code = refusal(flipped)
                #expect(code != "opened" || mayOpen.contains(offset), "bit \(bit) of byte \(offset)")
                fuzz(flipped)
                return code
            }
            let isSame = Set(codes).count == 1
            lines += "\(offset) " + (isSame ? codes[0] : codes.joined(separator: " ")) + "\n"
        }
        try GoldenFile.check(lines, "Tests/DataFiles/Golden/" + golden)
    }

    /// Flips a bit of every byte in turn.
    static func checkEveryByte() {
        for offset in bytes.indices {
            var flipped = bytes
            flipped[offset] ^= 0x10
            #expect(refusal(flipped) != "opened", "byte \(offset)")
        }
    }

    /// Writes anything over a few bytes at a time, with checksums that fit and without: nothing may trap.
    static func mutate(rounds: Int, seed: String) {
        var random = SeededGenerator(for: seed)
        for _ in 0..<rounds {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let offset = Int.random(in: 0..<mutated.count, using: &random)
                mutated[offset] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { mutated = DataFileHeader.resealed(mutated) }
            fuzz(mutated)
        }
    }
}
