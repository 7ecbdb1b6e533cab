@testable import Cryptography
import Support
import System
import Testing
import Vocabulary

@Suite("Tables of multiples of a key")
struct KeyTableTests {
    /// A signature and its verdict, as Vectors/p256_signatures.py prints them.
    private struct Case {
        let name: String
        let digest: ES256Verifier.Digest
        let signature: [UInt8]
        let isValid: Bool
        let key: String

        init(line: Substring) throws {
            let parts = line.split(separator: " ").map(String.init)
            try #require(parts.count == 5, "\(line)")
            (name, isValid) = (parts[0], parts[4] == "valid")
            let hash = try #require(Hexadecimal.decode(parts[2]))
            digest = KeyTableTests.digest(hash)
            signature = try #require(Hexadecimal.decode(parts[3]))
            key = parts[1]
        }

        func verifier() throws -> ES256Verifier {
            let pem = Array("-----BEGIN PUBLIC KEY-----\n\(key)\n-----END PUBLIC KEY-----\n".utf8)
            return try ES256Verifier(publicKeyPEM: pem.span)
        }
    }

    private static func digest(_ bytes: some Collection<UInt8>) -> ES256Verifier.Digest {
        var digest = ES256Verifier.Digest(repeating: 0)
        for (index, byte) in bytes.prefix(32).enumerated() { digest[index] = byte }
        return digest
    }

    @Test(
        "find of signatures at the edges of the arithmetic what whole numbers find, and what libcrypto finds alone"
    )
    func edges() throws {
        let program = SourceFile.root + "/Tests/Cryptography/Vectors/p256_signatures.py"
        let run = try ProgramRun.run("python3", [program])
        try #require(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 425)
        var tabled: [String: ES256Verifier] = [:]
        for line in lines {
            let row = try Case(line: line)
            let plain = try row.verifier()
            let isValidAlone = plain.isValid(row.signature.span, of: row.digest)
            #expect(isValidAlone == row.isValid, "\(row.name), libcrypto alone")
            let verifier = try tabled[row.key] ?? row.verifier()
            if verifier.table == nil { verifier.makeTable(after: 0) }
            tabled[row.key] = verifier
            let verdict = verifier.table?.verdict(row.signature.span, of: row.digest)
            #expect(verdict == (row.isValid ? .valid : .invalid), "\(row.name), with a table")
            let isValid = verifier.isValid(row.signature.span, of: row.digest)
            #expect(isValid == row.isValid, "\(row.name), with a table")
        }
    }

    @Test("agree with libcrypto alone about signatures of random messages, sound and with changed bits")
    func random() throws {
        var generator = SeededGenerator(for: "KeyTableTests.random")
        let isLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"
        for _ in 0..<(isLong ? 400 : 4) {
            let key = try SigningKey.generate()
            let (plain, tabled) = (try ES256Verifier(keyOf: key), try ES256Verifier(keyOf: key))
            tabled.makeTable(after: 0)
            for _ in 0..<250 {
                let message = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
                var signature = try key.sign(message.span)
                let isSound = tabled.isValid(signature: signature.span, for: message.span)
                #expect(isSound)
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    signature[Int.random(in: 0..<64, using: &generator)] ^=
                        1 << UInt8.random(in: 0..<8, using: &generator)
                }
                let isValidAlone = plain.isValid(signature: signature.span, for: message.span)
                let isValid = tabled.isValid(signature: signature.span, for: message.span)
                #expect(isValid == isValidAlone)
            }
        }
    }

    @Test("are made when a key has signed often enough, and signatures that do not hold do not count")
    func counting() throws {
        let key = try SigningKey.generate()
        let verifier = try ES256Verifier(keyOf: key)
        verifier.makeTable(after: 3)
        let message = Array("signed".utf8)
        let good = try key.sign(message.span)
        let bad = try SigningKey.generate().sign(message.span)
        for (signature, isGood, hasTable) in [
            (bad, false, false), (good, true, false), (bad, false, false), (good, true, false),
            (bad, false, false),
            (bad, false, false), (good, true, true), (good, true, true), (bad, false, true),
        ] {
            let isValid = verifier.isValid(signature: signature.span, for: message.span)
            #expect(isValid == isGood)
            #expect((verifier.table != nil) == hasTable)
        }
        let isShortValid = verifier.isValid(signature: good.span.extracting(first: 63), for: message.span)
        #expect(!isShortValid)
        let without = try ES256Verifier(keyOf: key)
        for _ in 0..<ES256Verifier.signaturesBeforeTable + 1 {
            let isValid = without.isValid(signature: good.span, for: message.span)
            #expect(isValid)
        }
        #expect(without.table == nil)
    }
}
