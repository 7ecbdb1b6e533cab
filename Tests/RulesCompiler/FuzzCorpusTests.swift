import Authoring
import FuzzBodies
import Rules
import Support
import Testing

@Suite("The corpus of rules sources")
struct RulesSourceCorpusTests {
    @Test("is compiled without a trap")
    func replay() throws {
        try FuzzCorpus.replay("RulesSource") { fuzzRulesSource($0) }
    }
}
