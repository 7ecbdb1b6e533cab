import Cryptography
import Testing

@Suite("base64 and base64url")
struct Base64Tests {
    @Test(
        "base64url encodes without padding and decodes to the original bytes",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"), ("\u{FF}~?>", "w79-Pz4"),
        ]
    )
    func base64URL(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        let encoded = Base64URL.encode(bytes.span)
        let decoded = Base64URL.decode(Array(text.utf8).span)
        #expect(String(decoding: encoded, as: UTF8.self) == text)
        #expect(decoded == bytes)
    }

    @Test(
        "base64url accepts only one text for each byte string",
        arguments: [
            "Zg=", "Zg==", "Zm8=", "A", "AAAAA", "Zh", "Zm9", "Zm-", "Zm9v\n", " Zm9v", "Zm9+", "Zm9/",
            "Zm9vY.",
            "Zm9v=", "Zm\u{0}v", "Zm9é", "AAAA*AAA", "====", "-_=",
        ]
    )
    func base64URLRefuses(text: String) {
        let decoded = Base64URL.decode(Array(text.utf8).span)
        #expect(decoded == nil)
    }

    @Test(
        "base64 requires padding and refuses every other extra character",
        arguments: [
            ("", true), ("Zg==", true), ("Zm8=", true), ("Zm9v", true), ("+/+/", true), ("Zg", false),
            ("Zg=", false), ("Zh==", false), ("Zm9=", false), ("====", false), ("Zm9v====", false),
            ("Zm9v\n", false), ("-_-_", false), ("Z=g=", false), ("Z===", false), ("=Zm8", false),
        ]
    )
    func base64(text: String, isAccepted: Bool) {
        let decoded = Base64.decode(Array(text.utf8).span)
        #expect((decoded != nil) == isAccepted)
        guard let decoded else { return }
        let encoded = Base64.encode(decoded.span)
        #expect(encoded == Array(text.utf8))
    }

    @Test("bytes of every length below 260 are the same after encoding and decoding")
    func roundTrip() {
        for length in 0..<260 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
            let urlText = Base64URL.encode(bytes.span)
            let text = Base64.encode(bytes.span)
            let fromURL = Base64URL.decode(urlText.span)
            let from = Base64.decode(text.span)
            #expect(fromURL == bytes)
            #expect(from == bytes)
            var appended = bytes
            Base64URL.encode(bytes.span, appendingTo: &appended)
            #expect(appended == bytes + urlText)
        }
    }
}
