import AppStoreSimulator
import CertificateAuthority
import Cryptography
import Support
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("can be read back from their PEM, which openssl can read, too")
    func pem() throws {
        let key = try SigningKey.generate()
        let text = try key.pem()
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try SigningKey(p8: Array(text.utf8).span)
        #expect(try again.pem() == text)
        let run = try ProgramRun.run("openssl", ["pkey", "-noout", "-text"], input: Array(text.utf8))
        #expect(run.output.contains("NIST CURVE: P-256"))
        let description = String(describing: key)
        #expect(description == "P-256 private key")
    }

    @Test(
        "are read only from an unencrypted key on P-256",
        arguments: [
            ("pkey", "", "cryptography.key-malformed"),
            ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "", "cryptography.key-unsuitable"),
            ("genpkey -algorithm ED25519", "", "cryptography.key-unsuitable"),
            ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", "", "cryptography.key-unsuitable"),
            (
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:x", "",
                "cryptography.key-encrypted"
            ),
            (
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit", "",
                "cryptography.key-unsuitable"
            ),
        ]
    )
    func refusals(command: String, input: String, code: String) throws {
        let arguments = command.split(separator: " ").map(String.init)
        let text = try ProgramRun.run("openssl", arguments, input: Array(input.utf8)).output
        let error = #expect(throws: CryptographyError.self) {
            let bytes = Array(text.utf8)
            _ = try SigningKey(p8: bytes.span)
        }
        #expect(error?.code == code)
    }
}
