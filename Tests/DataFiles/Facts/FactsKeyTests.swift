import DataFiles
import Testing

@Suite("The key of a row of facts")
struct FactsKeyTests {
    @Test(
        "is canonical decimal from 1 to 2^64 - 1",
        arguments: [
            ("1", 1), ("9", 9), ("10", 10), ("2000000001", 2_000_000_001),
            ("18446744073709551615", UInt64.max), ("18446744073709551616", nil),
            ("18446744073709551617", nil), ("99999999999999999999", nil), ("100000000000000000000", nil),
            ("", nil), ("0", nil), ("01", nil), ("00", nil), ("+1", nil), ("-1", nil), (" 1", nil),
            ("1 ", nil), ("1.0", nil), ("1e3", nil), ("0x1", nil), ("a", nil), ("1a", nil), ("\u{0661}", nil),
            ("1\n", nil),
        ] as [(String, UInt64?)]
    )
    func parsing(text: String, key: UInt64?) {
        #expect(FactsKey.parse(decimal: text) == key)
    }

    @Test("is mixed as FORMAT.md says")
    func mixing() {
        // The second and third number of SplitMix64 with the seed 0 are the mixed multiples of its constant.
        let step: UInt64 = 0x9E37_79B9_7F4A_7C15
        #expect(FactsKey.mixed(step) == 0xE220_A839_7B1D_CDAF)
        #expect(FactsKey.mixed(step &* 2) == 0x6E78_9E6A_A1B9_65F4)
        #expect(FactsKey.mixed(step &* 3) == 0x06C4_5D18_8009_454F)
    }

    @Test("falls into buckets evenly, in the order of the mixed keys")
    func buckets() {
        var counts = [Int](repeating: 0, count: 1000)
        for key in 1...UInt64(20_000) { counts[FactsKey.bucket(of: key, among: 1000)] += 1 }
        let inOrder = (1...UInt64(20_000)).sorted { FactsKey.mixed($0) < FactsKey.mixed($1) }
            .map { FactsKey.bucket(of: $0, among: 1000) }
        #expect(inOrder == inOrder.sorted())
        // The average is 20. Eight standard deviations of a Poisson distribution above it are below 56.
        #expect(counts.max() ?? 0 < 56 && counts.min() ?? 0 > 0)
    }
}
