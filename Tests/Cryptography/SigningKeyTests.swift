import AppStoreTraffic
import CertificateAuthority
import Cryptography
import Support
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("make signatures of 64 bytes that ES256 accepts, and refuses after a change of one bit")
    func signing() throws {
        let chain = try TestPKI.chain()
        let key = try chain.leaf.key.signingKey()
        let verifier = try ES256Verifier(keyOf: chain.leaf.certificate())
        // Many signatures, so that some have an r or s with a leading zero byte: 1 in 128 signatures has one.
        for number in 0..<600 {
            let message = Array("message \(number)".utf8)
            var signature = try key.sign(message.span)
            #expect(signature.count == 64)
            let isValid = verifier.isValid(signature: signature.span, for: message.span)
            #expect(isValid)
            signature[number % 64] ^= 1
            let isStillValid = verifier.isValid(signature: signature.span, for: message.span)
            #expect(!isStillValid)
        }
    }

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

    @Test("make signatures that the openssl command accepts")
    func opensslVerifies() throws {
        let chain = try TestPKI.chain()
        let folder = try TemporaryDirectory()
        let message = Array("signed by us".utf8)
        try folder.write(chain.leaf.key.signingKey().signDER(message.span), to: "signature")
        try folder.write(chain.leaf.pem, to: "leaf.pem")
        let key = try ProgramRun.run(
            "openssl", ["x509", "-noout", "-pubkey", "-in", folder.path(of: "leaf.pem")])
        try folder.write(key.output, to: "key.pem")
        let run = try ProgramRun.run(
            "openssl",
            [
                "dgst", "-sha256", "-verify", folder.path(of: "key.pem"), "-signature",
                folder.path(of: "signature"),
            ],
            input: message
        )
        #expect(run.output == "Verified OK\n")
    }

    @Test(
        "are read only from an unencrypted key on P-256",
        arguments: [
            ("pkey", "", "cryptography.key-malformed"),
            ("ecparam -name prime256v1 -genkey -noout", "", "cryptography.key-malformed"),
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
