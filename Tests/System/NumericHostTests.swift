import System
import Testing

@Suite("A numeric host")
struct NumericHostTests {
    @Test(
        "is read or refused, and knows if it is a loopback address",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false),
            ("10.0.0.1", false), ("::", false), ("::2", false), ("::ffff:10.0.0.1", false),
            ("fe80::1", false),
            ("128.0.0.1", false), ("1::1", false), ("", nil), ("localhost", nil), ("127.1", nil),
            ("[::1]", nil),
            ("256.0.0.1", nil), ("127.0.0.1 ", nil), ("127.0.0.1\0", nil), ("fe80::1%lo", nil),
            ("0x7f.0.0.1", nil),
        ] as [(String, Bool?)]
    )
    func loopback(text: String, expected: Bool?) {
        #expect(NumericHost(text)?.isLoopback == expected)
    }
}
