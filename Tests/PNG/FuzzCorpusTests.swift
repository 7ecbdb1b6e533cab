import FuzzBodies
import Support
import Testing

@Suite("The corpus of PNG files")
struct PNGCorpusTests {
    @Test("is read without a trap")
    func replay() throws {
        try FuzzCorpus.replay("PNG") { fuzzPNG($0) }
    }
}
