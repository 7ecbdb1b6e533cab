import Facts
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
}
