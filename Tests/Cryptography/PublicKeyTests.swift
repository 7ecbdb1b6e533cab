import Cryptography
import Support
import Testing

@Suite("Verification keys")
struct PublicKeyTests {
    private static let message = Array("signed by us".utf8)

    private static func openssl(_ command: String, input: String = "") throws -> [UInt8] {
        let arguments = command.split(separator: " ").map(String.init)
        let run = try ProgramRun.run("openssl", arguments, input: Array(input.utf8))
        try #require(run.status == 0, "\(run.errors)")
        return Array(run.output.utf8)
    }

    @Test("accept signatures of their private key in both forms, and no other message or key")
    func verifying() throws {
        let key = try SigningKey.generate()
        let text = try Self.openssl("pkey -pubout", input: try key.pem())
        let stranger = try ES256Verifier(keyOf: SigningKey.generate())
        let (raw, der) = (try key.sign(Self.message.span), try key.signDER(Self.message.span))
        for verifier in [try ES256Verifier(keyOf: key), try ES256Verifier(publicKeyPEM: text.span)] {
            let isRaw = verifier.isValid(signature: raw.span, for: Self.message.span)
            let isDER = verifier.isValid(derSignature: der, for: Self.message.span)
            #expect(isRaw && isDER)
            let other = Self.message + [0]
            let isOther = verifier.isValid(derSignature: der, for: other.span)
            #expect(!isOther)
        }
        let isStrange = stranger.isValid(derSignature: der, for: Self.message.span)
        #expect(!isStrange)
    }

    @Test(
        "accept a signature as raw numbers, also where they begin with zeros, and no signature with a changed bit"
    )
    func rawForm() throws {
        let key = try SigningKey.generate()
        let verifier = try ES256Verifier(keyOf: key)
        // One number in 256 begins with a zero byte, which DER leaves out.
        for number in 0..<1000 {
            let message = Array("message \(number)".utf8)
            var signature = try key.sign(message.span)
            let isValid = verifier.isValid(signature: signature.span, for: message.span)
            signature[number % 64] ^= 1 << UInt8(number % 8)
            let isChangedValid = verifier.isValid(signature: signature.span, for: message.span)
            #expect(isValid && !isChangedValid)
        }
        let isEmptyValid = verifier.isValid(
            signature: [UInt8](repeating: 0, count: 64).span, for: Self.message.span)
        let isShortValid = verifier.isValid(
            signature: [UInt8](repeating: 1, count: 63).span, for: Self.message.span)
        #expect(!isEmptyValid && !isShortValid)
    }

    @Test("accept a signature only in its single DER form")
    func forms() throws {
        let key = try SigningKey.generate()
        let verifier = try ES256Verifier(keyOf: key)
        let der = try key.signDER(Self.message.span)
        let length = Int(der[3])
        // r with an extra zero byte in front, which BER allows.
        let padded =
            [0x30, der[1] + 1, 0x02, UInt8(length + 1), 0] + der[4..<4 + length] + der[(4 + length)...]
        let rows: [[UInt8]] = [
            [], [0x30], [0x30, 0x00], Array(der.dropLast()), der + [0], padded, [0x31] + der.dropFirst(),
            try key.sign(Self.message.span),
        ]
        for row in rows {
            let isValid = verifier.isValid(derSignature: row, for: Self.message.span)
            #expect(!isValid, "\(row)")
        }
    }

    @Test(
        "must be public keys on P-256 in PEM",
        arguments: [
            ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "cryptography.key-unsuitable"),
            ("genpkey -algorithm ED25519", "cryptography.key-unsuitable"),
            ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", "cryptography.key-unsuitable"),
        ]
    )
    func unsuitable(command: String, code: String) throws {
        let key = String(decoding: try Self.openssl(command), as: UTF8.self)
        let text = try Self.openssl("pkey -pubout", input: key)
        let error = #expect(throws: CryptographyError.self) { _ = try ES256Verifier(publicKeyPEM: text.span) }
        #expect(error?.code == code)
        // A private key is not accepted as a public key.
        let other = Array(key.utf8)
        let malformed = #expect(throws: CryptographyError.self) {
            _ = try ES256Verifier(publicKeyPEM: other.span)
        }
        #expect(malformed?.code == "cryptography.key-malformed")
    }
}
