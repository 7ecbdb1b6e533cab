import RulesCompiler
import Support
import FuzzBodies
import Testing
import RulesReading

@Suite("The corpus of rules sources")
struct RulesSourceCorpusTests {
    @Test("is compiled without a trap")
    func replay() throws {
        try FuzzCorpus.replay("RulesSource") { fuzzRulesSource($0) }
    }
}
