import Support
import System
import Testing

@Suite("retentionctl apple and its user")
struct AppleConsentTests {
    private static let id = AppleWorld.message
    private static let changes = [
        ["uploadMessage", "-f", "messageIdentifier=\(id)"], ["deleteImage", "-f", "imageIdentifier=\(id)"],
        ["setDefault", "-f", "productId=p", "-f", "locale=de-DE"], ["setURL", "-f", "realtimeURL=https://a"],
        ["deleteURL"], ["requestTestNotification"],
    ]

    private static func world() throws -> AppleWorld {
        try AppleWorld { request in
            AppleWorld.json(#"{"messageIdentifier":"\#(id)","realtimeURL":"https://present"}"#)
        }
    }

    @Test("change nothing unless the user agrees", arguments: changes)
    func refused(arguments: [String]) throws {
        let world = try Self.world()
        let run = try world.run(["api"] + arguments)
        #expect(run.status == 64 && run.errors.contains("error: confirm.missing: "), "\(run.errors)")
        #expect(run.errors.contains("(--confirm)") && world.received.isEmpty)
        let agreed = try world.run(["api"] + arguments + ["--confirm"])
        #expect(agreed.status == 0, "\(agreed.errors)")
        #expect(world.received.count == 1)
    }

    @Test(
        "ask on a terminal",
        arguments: [("y", 0, 1), ("YES", 0, 1), ("n", 1, 0), ("", 1, 0), ("yy", 1, 0)]
    )
    func terminal(answer: String, status: Int32, calls: Int) throws {
        let world = try Self.world()
        let words = ["api", "deleteMessage", "-f", "messageIdentifier=\(Self.id)"] + world.options
        let command = ([try ProgramRun.product("retentionctl"), "apple"] + words).joined(separator: " ")
        // script(1) gives the command a terminal.
        let run = try ProgramRun.run(
            "script", ["-q", "-e", "-c", command, "/dev/null"], input: Array("\(answer)\n".utf8))
        world.checkSecrets(run)
        // The server is not Apple's, so the question names it.
        let place = "com.example.app in Sandbox at \(world.server.url(""))"
        #expect(run.output.contains("Delete Message messageIdentifier=\(Self.id) for \(place)? [y/N] "))
        #expect(run.status == status, "\(run)")
        #expect(world.received.count == calls)
        #expect(run.output.contains("confirm.declined") == (status == 1))
    }

    @Test("get their settings from options, then variables, then the profile")
    func settings() throws {
        let world = try Self.world()
        let profile =
            #"{"keyFile":"key.p8","keyId":"PROFILE","issuerId":"issuer-1","bundleId":"com.example.profile","#
            + #""baseURL":"\#(world.server.url(""))"}"#
        try world.folder.write(profile, to: "profile.json", permissions: 0o640)
        let base = ["apple", "auth", "--environment", "Sandbox"]
        func run(_ options: [String], _ variables: [String] = []) throws -> ProgramRun {
            let run = try ProgramRun.run(
                ProgramRun.product("retentionctl"), base + options,
                environment: ["PATH=/usr/bin:/bin", "LANG=C"] + variables)
            world.checkSecrets(run)
            return run
        }
        let path = world.folder.path(of: "profile.json")
        let first = try run(["--profile", path])
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            first.output.contains(#/keyId +PROFILE\nissuerId +issuer-1\nbundleId +com\.example\.profile\n/#))
        let second = try run([], ["RETENTIONCTL_PROFILE=\(path)", "RETENTIONCTL_KEY_ID=VARIABLE"])
        #expect(second.output.contains(#/keyId +VARIABLE\nissuerId +issuer-1/#), "\(second.errors)")
        let third = try run(
            ["--key-id", "OPTION", "--json"], ["RETENTIONCTL_PROFILE=\(path)", "RETENTIONCTL_KEY_ID=V"])
        #expect(third.output.contains(#""keyId":"OPTION","issuerId":"issuer-1""#), "\(third)")
        let none = try run(["--key-id", "K"], ["RETENTIONCTL_ISSUER_ID="])
        #expect(none.status == 64)
        #expect(
            none.errors.contains(
                "apple.credentials-missing: no value for --key-file, --issuer-id, --bundle-id"
            )
        )
    }

    @Test(
        "refuse a profile or a key that others may use, and a profile that is none",
        arguments: [
            ("{}", 0o604, 65, "profile.unusable"), ("{", 0o600, 65, "json.syntax"),
            ("[]", 0o600, 65, "profile.unusable"),
            (#"{"keyfile":"k"}"#, 0o600, 65, "profile.unusable"),
            (#"{"keyId":5}"#, 0o600, 65, "profile.unusable"),
            (
                #"{"keyFile":"open.p8","keyId":"a","issuerId":"b","bundleId":"c"}"#, 0o600, 65,
                "signing-key-exposed"
            ),
            (
                #"{"keyFile":"no.p8","keyId":"a","issuerId":"b","bundleId":"c"}"#, 0o600, 65,
                "signing-key-unreadable"
            ),
            (
                #"{"keyFile":"p.json","keyId":"a","issuerId":"b","bundleId":"c"}"#, 0o600, 65,
                "signing-key-malformed"
            ),
        ] as [(String, UInt32, Int32, String)]
    )
    func profiles(text: String, permissions: UInt32, status: Int32, code: String) throws {
        let world = try Self.world()
        try world.folder.write(text, to: "p.json", permissions: permissions)
        try world.folder.write(world.pem, to: "open.p8", permissions: 0o644)
        let run = try Tool.run([
            "apple", "auth", "--environment", "Sandbox", "--profile", world.folder.path(of: "p.json"),
        ])
        world.checkSecrets(run)
        #expect(run.status == status && run.errors.contains("error: \(code): "), "\(run.errors)")
    }

    @Test(
        "say what is wrong with the command line",
        arguments: [
            (["api", "listMessages"], "--environment"),
            (["api", "list", "--environment", "Sandbox"], "'list'"),
            (["api", "listMessages", "--environment", "Xcode"], "Production or Sandbox"),
            (["api", "getDefault", "-f", "productId", "--environment", "Sandbox"], "'productId'"),
            (["performance-test", "--environment", "Sandbox"], "--request-id"),
            (["auth", "--environment", "Sandbox", "--key-id", "a/b"], "--key-id"),
        ]
    )
    func usage(arguments: [String], message: String) throws {
        let run = try Tool.run(["apple"] + arguments)
        #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
        let production = try Self.world()
        let options = production.options.map { $0 == "Sandbox" ? "Production" : $0 }
        let test = try Tool.run(["apple", "performance-test", "--request-id", "R1"] + options)
        #expect(test.status == 64 && test.errors.contains("error: apple.bad-request: "))
        let incomplete = try Tool.run(
            ["apple", "api", "getDefault", "-f", "productId=p"] + production.options)
        #expect(
            incomplete.status == 64
                && incomplete.errors.contains("apple.bad-request: the locale"))
        let clear = try Tool.run(["apple", "auth"] + options + ["--base-url", "http://example.com"])
        #expect(clear.status == 64 && clear.errors.contains("error: apple.bad-request: "))
    }
}
