import FuzzBodies
import Support
import Testing

@Suite("The corpus of PNG files")
struct PNGCorpusTests {
    @Test("is read without a trap")
    func replay() throws {
        try FuzzCorpus.replay("PNG") { fuzzPNG($0) }
    }

    @Test("is read without a trap with bytes that are changed, added and removed")
    func mutations() throws {
        var random = SeededGenerator(for: "changed PNG files")
        let files = try SourceFile.paths(below: "Tests/Fuzz/Corpus/PNG").map {
            try SourceFile.read("\(SourceFile.root)/\($0)")
        }
        for _ in 0..<3000 {
            var bytes = try #require(files.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 1: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default:
                    bytes.removeSubrange(
                        place..<min(bytes.count, place + Int.random(in: 1...8, using: &random))
                    )
                }
                if bytes.isEmpty { bytes = [0] }
            }
            fuzzPNG(bytes.span)
        }
    }
}
