import Facts
import FuzzBodies
import Support
import Testing

/// The sample of a facts file, for tests that break it in every way.
extension FactsSample {
    /// Opens the bytes with all checks.
    static func header(opening bytes: [UInt8]) throws(DataFileError) -> DataFileHeader {
        try FactsFile(bytes: bytes, check: .full).header
    }

    /// Opens and uses any bytes, as the fuzzer does.
    static func fuzz(_ bytes: [UInt8]) { fuzzFactsFile(bytes.span) }

    /// Opens the bytes. Returns the code of the refusal, or "opened".
    static func refusal(_ bytes: [UInt8]) -> String {
        do throws(DataFileError) {
            _ = try header(opening: bytes)
            return "opened"
        } catch {
            return error.code
        }
    }

    /// Returns the place of a section in ``bytes``.
    static func place(of section: FactsSection) throws -> DataFileSection {
        let header = try header(opening: bytes)
        return try #require(header.sections.first { $0.kind == section.rawValue })
    }

    /// Returns the sample that the repository keeps for the version in its name. The tests of the writer write it.
    static func kept(as name: String) throws -> [UInt8] {
        try SourceFile.read(SourceFile.root + "/Tests/Facts/Samples/" + name)
    }
}

extension FactsSample {
    /// Checks that the file is refused when it is cut off or lengthened.
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

    /// Flips every bit of the header in turn, and compares the codes with a golden file that has a line for each byte.
    ///
    /// - Parameters:
    ///   - golden: the golden file.
    ///   - isResealed: true when the digest is made to fit afterwards.
    ///   - mayOpen: the offsets of the header's bytes that may have other values.
    /// - Throws: the error of reading the golden file.
    static func checkHeaderBits(golden: String, resealed isResealed: Bool = false, mayOpen: Set<Int> = [])
        throws
    {
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
        try GoldenFile.check(lines, "Tests/Facts/Golden/" + golden)
    }

    /// Flips a bit of every byte in turn, and checks that the file is refused.
    static func checkEveryByte() {
        for offset in bytes.indices {
            var flipped = bytes
            flipped[offset] ^= 0x10
            #expect(refusal(flipped) != "opened", "byte \(offset)")
        }
    }

    /// Overwrites a few bytes at a time with random values, with and without fitting checksums. Nothing may trap.
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
