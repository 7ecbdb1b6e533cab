import FuzzBodies
import JSON
import Support
import Testing

@Suite("The JSON fuzz body")
struct JSONFuzzTests {
    @Test("survives every prefix and many single-byte changes of a text with every kind of value")
    func mutations() {
        let seed = Array(
            #"{"a":[1,{"b":"\u00e9\ud83d\ude00é"},-1.5e3,true,null,[]],"c\"\\":{"d":9223372036854775807}}"#
                .utf8
        )
        fuzzJSON(seed.span)
        for count in seed.indices { fuzzJSON(seed.span.extracting(first: count)) }
        for index in seed.indices {
            for byte: UInt8 in [0, 0x22, 0x2C, 0x30, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xC3, 0xFF] {
                var changed = seed
                changed[index] = byte
                fuzzJSON(changed.span)
            }
        }
    }

    @Test("survives the fuzzer's corpus")
    func corpus() throws {
        try FuzzCorpus.replay("JSON") { fuzzJSON($0) }
    }
}
