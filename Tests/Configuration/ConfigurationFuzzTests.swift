import Configuration
import FuzzBodies
import Support
import Testing

@Suite("The configuration fuzz body")
struct ConfigurationFuzzTests {
    @Test("survives prefixes and single-byte changes of a configuration with every key")
    func mutations() {
        let seed = Array(everythingText.utf8)
        fuzzConfiguration(seed.span)
        for count in stride(from: 0, to: seed.count, by: 31) {
            fuzzConfiguration(seed.span.extracting(first: count))
        }
        for index in stride(from: 0, to: seed.count, by: 5) {
            for byte: UInt8 in [0x30, 0x22, 0x7B] {
                var changed = seed
                changed[index] = byte
                fuzzConfiguration(changed.span)
            }
        }
    }

    @Test("survives the fuzzer's corpus")
    func corpus() throws {
        try FuzzCorpus.replay("Configuration") { fuzzConfiguration($0) }
    }
}
