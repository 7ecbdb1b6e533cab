import DataFiles
import Decisions
import Support
import Testing

@Suite("Broken rules files")
struct BrokenFileTests {
    /// Opens, expecting a refusal; answers its code.
    static func refusal(_ bytes: [UInt8]) -> String {
        do throws(DataFileError) {
            _ = try RulesFile(bytes: bytes, check: .full)
            return "opened"
        } catch {
            return error.code
        }
    }

    @Test("are refused with a stable code", arguments: BrokenFileZoo.all)
    func zoo(damage: Damage) throws {
        let bytes = try damage.apply(to: SampleModel.bytes)
        #expect(Self.refusal(bytes) == damage.code)
        fuzzRulesFile(bytes.span)
    }

    @Test("are refused wherever they are cut off")
    func truncations() {
        let bytes = SampleModel.bytes
        for count in Set(stride(from: 0, to: bytes.count, by: 64)).union(0..<160) {
            let cut = Array(bytes[..<count])
            #expect(Self.refusal(cut) == "data-file.truncated", "\(count) bytes")
            #expect(Self.refusal(DataFileHeader.resealed(cut)) == "data-file.truncated", "\(count) bytes")
            fuzzRulesFile(cut.span)
        }
        #expect(Self.refusal(bytes + [0]) == "data-file.trailing-bytes")
        #expect(Self.refusal(bytes + [UInt8](repeating: 0, count: 64)) == "data-file.trailing-bytes")
    }

    @Test("are refused for every bit of the header that is flipped, each with its own stable code")
    func headerBits() throws {
        var lines: [String] = []
        for offset in 0..<DataFileHeader.byteCount {
            var codes: [String] = []
            for bit in 0..<8 {
                var bytes = SampleModel.bytes
                bytes[offset] ^= 1 << UInt8(bit)
                codes.append(Self.refusal(bytes))
                fuzzRulesFile(bytes.span)
            }
            #expect(!codes.contains("opened"), "byte \(offset)")
            let isSame = Set(codes).count == 1
            lines.append("\(offset) " + (isSame ? codes[0] : codes.joined(separator: " ")))
        }
        try GoldenFile.check(lines.joined(separator: "\n") + "\n", "Tests/DataFiles/Golden/header-bits.txt")
    }

    @Test("are refused for every byte of the file that is flipped")
    func everyByte() {
        for offset in SampleModel.bytes.indices {
            var bytes = SampleModel.bytes
            bytes[offset] ^= 0x10
            #expect(Self.refusal(bytes) != "opened", "byte \(offset)")
        }
    }

    @Test("never trap, whatever the bytes, opened in full or by structure alone")
    func mutations() {
        var random = SeededGenerator(for: "broken rules files")
        for _ in 0..<4000 {
            var bytes = SampleModel.bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                bytes[offset] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes = DataFileHeader.resealed(bytes) }
            fuzzRulesFile(bytes.span)
        }
    }
}
