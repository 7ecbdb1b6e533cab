import Cryptography
import JSON
import Support
import Testing

@Suite("Keys for offers")
struct OfferKeyTests {
    private let keys: KeyFolder

    init() throws {
        keys = try KeyFolder()
    }

    /// Each row has the file of a bad key, and the exit status and the code of a command.
    @Test("refuse a bad key as the service does")
    func badKeys() throws {
        let folder = keys.folder
        let openssl = { (arguments: [String]) throws -> String in
            try ProgramRun.run("openssl", arguments).output
        }
        let good = String(decoding: try folder.read("key.p8"), as: UTF8.self)
        try folder.write(good, to: "exposed.p8", permissions: 0o604)
        let p384 = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
        try folder.write(try openssl(p384), to: "p384.p8", permissions: 0o600)
        let locked = ["pkcs8", "-topk8", "-passout", "pass:x", "-in", keys.key]
        try folder.write(try openssl(locked), to: "locked.p8", permissions: 0o600)
        try folder.write(String(good.dropLast(40)), to: "cut.p8", permissions: 0o600)
        try folder.write([UInt8](repeating: 0x41, count: 1 << 16), to: "long.p8", permissions: 0o600)
        let rows: [(String, Int32, String)] = [
            ("exposed.p8", 65, "signing-key-exposed"), ("p384.p8", 65, "signing-key-unsuitable"),
            ("locked.p8", 65, "signing-key-encrypted"), ("cut.p8", 65, "signing-key-malformed"),
            ("absent.p8", 65, "signing-key-unreadable"), ("", 65, "signing-key-not-regular"),
            ("long.p8", 65, "signing-key-malformed"), ("public.pem", 65, "signing-key-exposed"),
        ]
        for (name, status, code) in rows {
            let arguments = KeyFolder.explaining("v1", key: folder.path(of: name))
            let run = try Tool.run(arguments + ["--json"], input: KeyFolder.rules)
            #expect(run.status == status, "\(name): \(run.output)")
            let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
            #expect(found?.member("code")?.string == code, "\(name)")
            // No message has a part of the key.
            #expect(!run.output.contains("BEGIN"))
        }
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo.p8")])
        let token = try keys.signed("v2").signature
        // The first two files are not private keys, so their permissions do not matter.
        let certificate = ["req", "-x509", "-key", keys.key, "-subj", "/CN=a"]
        try folder.write(try openssl(certificate), to: "certificate.pem")
        try folder.write("x", to: "text.pem")
        let others: [(String, Int32, String)] = [
            ("certificate.pem", 65, "cryptography.key-malformed"),
            ("text.pem", 65, "cryptography.key-malformed"), ("exposed.p8", 65, "signing-key-exposed"),
            ("p384.p8", 65, "signing-key-unsuitable"), ("cut.p8", 65, "signing-key-malformed"),
            ("absent.p8", 65, "system.enoent"), ("long.p8", 65, "signing-key-malformed"),
            ("", 65, "signing-key-not-regular"),
            ("fifo.p8", 65, "signing-key-not-regular"),
        ]
        for (name, status, code) in others {
            let run = try keys.verified(token, by: folder.path(of: name))
            #expect(run.status == status, "\(name): \(run.output)")
            let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
            #expect(found?.member("code")?.string == code, "\(name)")
        }
        // The group of a key may read it, as with systemd's LoadCredential.
        try folder.write(good, to: "group.p8", permissions: 0o640)
        #expect(try keys.verified(token, by: folder.path(of: "group.p8")).status == 0)
    }

    /// Each row has a word of the message and a program that makes such a file of `key.p8`.
    @Test(
        "name what happened to a key on its way, with a command that mends it",
        arguments: [
            ("byte order mark", #"printf '\357\273\277'; cat key.p8"#),
            ("UTF-16", "iconv -f ASCII -t UTF-16 key.p8"), ("base64 of a key file", "base64 -w 0 key.p8"),
            (#"has \n in place"#, #"awk '{ printf "%s\\n", $0 }' key.p8"#),
            ("BEGIN EC PRIVATE KEY", "openssl ec -in key.p8"),
            ("BEGIN EC PRIVATE KEY", "openssl ecparam -name prime256v1 -genkey"),
        ]
    )
    func mistakes(word: String, program: String) throws {
        let folder = keys.folder
        func shell(_ text: String) throws -> String {
            let run = try ProgramRun.run("sh", ["-c", "cd '\(folder.path)' && \(text)"])
            try #require(run.status == 0, "\(text): \(run.errors)")
            return run.output
        }
        _ = try shell("umask 077; { \(program); } >bad.p8")
        let bad = folder.path(of: "bad.p8")
        let apple = ["--key-id", "K", "--issuer-id", "i", "--bundle-id", "b", "--environment", "Sandbox"]
        try folder.write(keys.signed("v2").answer, to: "offer")
        var errors = ""
        for arguments in [
            ["verify", "--key", bad, folder.path(of: "offer")], ["apple", "auth", "--key-file", bad] + apple,
            KeyFolder.explaining("v1", key: bad),
        ] {
            let run = try Tool.run(arguments, input: KeyFolder.rules)
            #expect(run.status == 65 && run.errors.contains(word), "\(arguments): \(run.errors)")
            #expect(run.errors.contains("signing-key-malformed") && !run.errors.contains("-----BEGIN"))
            errors = run.errors
        }
        let command = try #require(errors.split(separator: "mend it with: ").last).prefix { $0 != "\n" }
        _ = try shell(String(command))
        let mended = KeyFolder.explaining("v1", key: folder.path(of: "new.p8"))
        #expect(try Tool.run(mended, input: KeyFolder.rules).status == 0, "\(command)")
    }

    @Test("leave the nonce and ECDSA's random number to chance in processes that start together")
    func processes() throws {
        let path = try ProgramRun.product("retentionctl")
        try keys.folder.write(KeyFolder.rules, to: "rules.json")
        // All processes run at the same time: each starts before the first has ended.
        let script =
            "for n in $(seq 40); do \"$0\" \"$@\" <\(keys.folder.path(of: "rules.json")) & done; wait"
        let run = try ProgramRun.run(
            "sh", ["-c", script, path] + KeyFolder.explaining("v2", key: keys.key))
        let tokens = run.output.matches(of: /"eyJ[^."]+\.([^."]+)\.([^."]+)"/).map(\.output)
        #expect(tokens.count == 40)
        let nonces = tokens.compactMap { token in
            Base64URL.decode(Array(token.1.utf8).span).flatMap {
                String(decoding: $0, as: UTF8.self).firstMatch(of: /"nonce":"([^"]+)"/)?.output.1
            }
        }
        #expect(nonces.count == 40 && Set(nonces).count == 40)
        // The first half of a signature depends only on its random number.
        #expect(Set(tokens.map { $0.2.prefix(40) }).count == 40)
    }
}
