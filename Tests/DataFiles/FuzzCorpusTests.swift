import Decisions
import Support
import FuzzBodies
import Testing

@Suite("The corpus of rules files")
struct RulesFileCorpusTests {
    @Test("is opened and used for decisions without a trap")
    func replay() throws {
        try FuzzCorpus.replay("RulesFile") { fuzzRulesFile($0) }
    }
}
