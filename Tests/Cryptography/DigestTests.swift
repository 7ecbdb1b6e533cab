import Cryptography
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "SHA-256 agrees with FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ]
    )
    func sha256(text: String, digest: String) {
        let bytes = Array(text.utf8)
        let whole = SHA256.hash(bytes.span)
        #expect(whole.hexadecimal == digest)
        var hasher = SHA256Hasher()
        for byte in bytes { hasher.update([byte].span) }
        let pieces = hasher.finalize()
        #expect(pieces == SHA256Digest(hexadecimal: digest))
    }

    @Test("HMAC-SHA-256 agrees with RFC 4231, test case 2")
    func hmac() throws {
        let key = try HMACSHA256(key: Array("Jefe".utf8).span)
        let code = try key.authenticate(Array("what do ya want for nothing?".utf8).span)
        #expect(code.hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        // A second code with the same key starts from the beginning.
        #expect(try key.authenticate(Array("what do ya want for nothing?".utf8).span) == code)
        #expect(!"\(key)".contains("Jefe"))
    }

    @Test("hexadecimal digits are read in either case, and other characters are refused")
    func hexadecimal() {
        #expect(Hexadecimal.decode("00fFaB") == [0, 255, 171])
        for text in ["0", "0g", "0x", "é0"] { #expect(Hexadecimal.decode(text) == nil) }
    }
}
