import JSON
import Support
import Testing

@Suite("The options of retentionctl sign offer and verify-offer")
struct OfferUsageTests {
    private let keys: KeyFolder

    init() throws {
        keys = try KeyFolder()
    }

    @Test(
        "must fit the form of the signature and have valid values",
        arguments: [
            ([], "A V2 signature needs --issuer-id and --transaction"),
            (["--issuer-id", "i"], "A V2 signature needs --issuer-id and --transaction"),
            (["--transaction", "1"], "A V2 signature needs --issuer-id and --transaction"),
            (["--v1", "--issuer-id", "i"], "--issuer-id and --transaction are of V2"),
            (["--v1", "--transaction", "1"], "--issuer-id and --transaction are of V2"),
            (
                KeyFolder.v2 + ["--app-account-token", "23a91ca7-06f3-425f-bff6-820904b510a9"],
                "--app-account-token is of V1"
            ),
            (["--v1", "--app-account-token", "x"], "'x' is invalid"),
            (["--v1", "--v2"], "'--v1'"), (["--v1", "--nonce", "1"], "'1' is invalid"),
            (["--v1", "--at", "yesterday"], "yesterday"),
            (KeyFolder.v2 + ["--issuer-id", ""], "--issuer-id must not be empty"),
            (KeyFolder.v2 + ["--issuer-id", "a_b"], "--issuer-id is not an identifier of App Store Connect"),
            (KeyFolder.v2 + ["--issuer-id", "a\u{2063}b"], "--issuer-id is not an identifier of"),
            (["--v1", "--key-id", "a\u{2063}b"], "--key-id is not an identifier of App Store Connect"),
            (["--v1", "--bundle-id", "a\u{2063}b"], "--bundle-id must not have control characters or"),
            (["--v1", "--key-id", "a b"], "--key-id is not an identifier of App Store Connect"),
            (
                ["--v1", "--product", "pro\u{2063}evil"],
                "--product must not have control characters or U+2063"
            ),
            (["--v1", "--offer", "a\n"], "--offer must not have control characters or U+2063"),
            (["--v1", "--bundle-id", "a\u{9f}"], "--bundle-id must not have control characters or U+2063"),
            (["--v1", "--at=-1"], "--at must be of the years 1970 to 9999"),
            (["--v1", "--at", "1969-12-31T23:59:59Z"], "--at must be of the years 1970 to 9999"),
            (["--v1", "--at", "253402300800000"], "--at must be of the years 1970 to 9999"),
        ]
    )
    func usage(arguments: [String], message: String) throws {
        let run = try Tool.run(keys.signing + arguments)
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("name the app of a V1 signature, and the form that a signature must have")
    func verification() throws {
        let v1 = try Tool.run(keys.signing + ["--v1"]).output
        let v2 = try Tool.run(keys.signing + KeyFolder.v2).output
        for more in [[], ["--v1"]] {
            let run = try keys.verified(v1, by: keys.key, more)
            #expect(run.status == 64 && run.errors.contains("--bundle-id"), "\(run.errors)")
        }
        for option in ["--bundle-id", "--product", "--offer"] {
            let run = try keys.verified(v1, by: keys.key, ["--bundle-id", "b", option, "a\u{2063}b"])
            #expect(run.status == 64 && run.errors.contains("\(option) must not have"), "\(run.errors)")
        }
        let app = ["--bundle-id", "com.example.app"]
        for (signature, form) in [(v1, "--v2"), (v2, "--v1")] {
            let run = try keys.verified(signature, by: keys.key, [form] + app)
            #expect(run.status == 65 && run.output.contains("offer.other-form"))
        }
    }

    @Test("name the product, the offer and the transaction that a signature must be for")
    func expectedProduct() throws {
        let app = ["--bundle-id", "com.example.app"]
        for (signing, options) in [(["--v1"], ["--product", "--offer"]), (KeyFolder.v2, Self.held)] {
            let signature = try Tool.run(keys.signing + signing).output
            let values = ["pro_monthly", "save50_3m", "2000000001"]
            let good = zip(options, values).flatMap { [$0, $1] }
            #expect(try keys.verified(signature, by: keys.publicKey, app + good).status == 0)
            for (option, refusal) in zip(options, ["other-product", "other-offer", "other-transaction"]) {
                let run = try keys.verified(signature, by: keys.publicKey, app + good + [option, "x"])
                #expect(run.status == 1)
                #expect(try Tool.document(run).root.member("refusal")?.string == refusal)
            }
        }
        let v1 = try Tool.run(keys.signing + ["--v1"]).output
        let run = try keys.verified(v1, by: keys.publicKey, app + ["--transaction", "2000000001"])
        #expect(run.status == 64 && run.errors.contains("--transaction cannot be checked"))
    }

    private static let held = ["--product", "--offer", "--transaction"]

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
            ("exposed.p8", 77, "signing-key-exposed"), ("p384.p8", 65, "signing-key-unsuitable"),
            ("locked.p8", 65, "signing-key-encrypted"), ("cut.p8", 65, "signing-key-malformed"),
            ("absent.p8", 66, "signing-key-unreadable"), ("", 65, "signing-key-not-regular"),
            ("long.p8", 65, "signing-key-malformed"), ("public.pem", 77, "signing-key-exposed"),
        ]
        for (name, status, code) in rows {
            var arguments = keys.signing + ["--v1", "--json"]
            arguments[3] = folder.path(of: name)
            let run = try Tool.run(arguments)
            #expect(run.status == status, "\(name): \(run.output)")
            let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
            #expect(found?.member("code")?.string == code, "\(name)")
            // No message has a part of the key.
            #expect(!run.output.contains("BEGIN"))
        }
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo.p8")])
        let token = try Tool.run(keys.signing + KeyFolder.v2).output
        // The first two files are not private keys, so their permissions do not matter.
        let certificate = ["req", "-x509", "-key", keys.key, "-subj", "/CN=a"]
        try folder.write(try openssl(certificate), to: "certificate.pem")
        try folder.write("x", to: "text.pem")
        let others: [(String, Int32, String)] = [
            ("certificate.pem", 65, "cryptography.key-malformed"),
            ("text.pem", 65, "cryptography.key-malformed"), ("exposed.p8", 77, "signing-key-exposed"),
            ("p384.p8", 65, "signing-key-unsuitable"), ("cut.p8", 65, "signing-key-malformed"),
            ("absent.p8", 66, "system.enoent"), ("long.p8", 65, "signing-key-malformed"),
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
        var signing = keys.signing + ["--v1"]
        signing[3] = bad
        let apple = ["--key-id", "K", "--issuer-id", "i", "--bundle-id", "b", "--environment", "Sandbox"]
        let world = try SimulatorProcess.makeFolder()
        var errors = ""
        for arguments in [
            ["verify-offer", "--key", bad, "x.y.z"], ["apple", "auth", "--key-file", bad] + apple,
            SimulatorProcess.arguments(world) + ["--key", "B=\(bad)"], signing,
        ] {
            let run = try Tool.run(arguments)
            #expect(run.status == 65 && run.errors.contains(word), "\(arguments): \(run.errors)")
            #expect(run.errors.contains("signing-key-malformed") && !run.errors.contains("-----BEGIN"))
            errors = run.errors
        }
        let command = try #require(errors.split(separator: "mend it with: ").last).prefix { $0 != "\n" }
        _ = try shell(String(command))
        signing[3] = folder.path(of: "new.p8")
        #expect(try Tool.run(signing).status == 0, "\(command)")
    }

    @Test("leave the nonce and ECDSA's random number to chance in processes that start together")
    func processes() throws {
        let path = try ProgramRun.product("retentionctl")
        // All processes run at the same time: each starts before the first has ended.
        let script = "for n in $(seq 40); do \"$0\" \"$@\" & done; wait"
        func lines(_ arguments: [String]) throws -> [String] {
            let run = try ProgramRun.run("sh", ["-c", script, path] + keys.signing + arguments)
            return run.output.split(separator: "\n").map(String.init)
        }
        let at = ["--at", "2026-06-08T12:00:00Z"]
        let drawn = try lines(["--v1"] + at)
        let nonces = drawn.compactMap { $0.split(separator: "\"nonce\":\"").last?.prefix(36) }
        #expect(nonces.count == 40)
        #expect(Set(nonces).count == 40)
        // All signatures are of the same text. The first half of a signature depends only on its random number.
        let signatures = try lines(KeyFolder.v2 + KeyFolder.fixed).compactMap {
            $0.split(separator: ".").last
        }
        #expect(signatures.count == 40)
        #expect(Set(signatures.map { $0.prefix(40) }).count == 40)
    }
}
