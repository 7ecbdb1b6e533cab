import Support
import System
import Testing

@Suite("retentionctl apple and its user", .timeLimit(.minutes(5)))
struct AppleConsentTests {
    private static let id = AppleWorld.message
    private static let deletes = [
        ["message", "delete", id], ["image", "delete", id], ["default", "delete", "pro", "de-DE"],
        ["url", "delete"],
        ["default", "put", "pro", "de-DE", AppleWorld.other], ["url", "put", "https://other"],
    ]

    private static func world() throws -> AppleWorld {
        try AppleWorld { request in
            AppleWorld.json(#"{"messageIdentifier":"\#(id)","realtimeURL":"https://present"}"#)
        }
    }

    @Test("delete and replace nothing unless the user agrees", arguments: deletes)
    func refused(arguments: [String]) throws {
        let world = try Self.world()
        let run = try world.run(arguments)
        #expect(run.status == 64 && run.errors.contains("error: apple.not-confirmed: "), "\(run.errors)")
        #expect(run.errors.contains("(--confirm)"))
        #expect(world.received.allSatisfy { $0.method == "GET" })
        let agreed = try world.run(arguments + ["--confirm"])
        #expect(agreed.status == 0, "\(agreed.errors)")
        #expect(world.received.filter { $0.method != "GET" }.count == 1)
    }

    @Test("set what is not set, or set already, without asking")
    func unneeded() throws {
        let world = try Self.world()
        #expect(try world.run(["default", "put", "pro", "de-DE", Self.id]).status == 0)
        #expect(try world.run(["url", "put", "https://present"]).status == 0)
        let empty = try AppleWorld { request in
            request.method == "GET"
                ? AppleWorld.refusal(request.path.hasSuffix("url") ? 4_040_021 : 4_040_020)
                : AppleWorld.json("")
        }
        #expect(try empty.run(["default", "put", "pro", "de-DE", Self.id]).status == 0)
        #expect(try empty.run(["url", "put", "https://new"]).status == 0)
        #expect(empty.calls.count == 4)
    }

    @Test(
        "ask on a terminal",
        arguments: [("y", 0, 1), ("YES", 0, 1), ("n", 1, 0), ("", 1, 0), ("yy", 1, 0)]
    )
    func terminal(answer: String, status: Int32, calls: Int) throws {
        let world = try Self.world()
        let words = ["message", "delete", Self.id] + world.options
        let command = ([try ProgramRun.product("retentionctl"), "apple"] + words).joined(separator: " ")
        // script(1) gives the command a terminal.
        let run = try ProgramRun.run(
            "script", ["-q", "-e", "-c", command, "/dev/null"], input: Array("\(answer)\n".utf8))
        world.checkSecrets(run)
        // The server is not Apple's, so the question names it.
        let place = "com.example.app in Sandbox at \(world.server.url(""))"
        #expect(run.output.contains("Delete message \(Self.id) of \(place)? [y/N] "))
        #expect(run.status == status, "\(run)")
        #expect(world.received.count == calls)
        #expect(run.output.contains("apple.declined") == (status == 1))
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
        #expect(first.output.hasSuffix(": key PROFILE of issuer issuer-1 for com.example.profile\n"))
        let second = try run([], ["RETENTIONCTL_PROFILE=\(path)", "RETENTIONCTL_KEY_ID=VARIABLE"])
        #expect(second.output.contains("key VARIABLE of issuer issuer-1"), "\(second.errors)")
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
            ("{}", 0o604, 77, "profile.exposed"), ("{", 0o600, 65, "json.syntax"),
            ("[]", 0o600, 65, "profile.malformed"),
            (#"{"keyfile":"k"}"#, 0o600, 65, "profile.malformed"),
            (#"{"keyId":5}"#, 0o600, 65, "profile.malformed"),
            (
                #"{"keyFile":"open.p8","keyId":"a","issuerId":"b","bundleId":"c"}"#, 0o600, 77,
                "signing-key-exposed"
            ),
            (
                #"{"keyFile":"no.p8","keyId":"a","issuerId":"b","bundleId":"c"}"#, 0o600, 66,
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
            (["message", "list"], "--environment"),
            (["message", "list", "--environment", "Xcode"], "Production or Sandbox"),
            (["message", "put", "x", "--environment", "Sandbox"], "'x'"),
            (["message", "put", id, "--header", "h", "--environment", "Sandbox"], "--header and --body"),
            (
                ["message", "put", id, "--from", "-", "--body", "b", "--environment", "Sandbox"],
                "--from alone"
            ),
            (["message", "list", "--environment", "Sandbox", "--key-id", "a/b"], "--key-id"),
        ]
    )
    func usage(arguments: [String], message: String) throws {
        let run = try Tool.run(["apple"] + arguments)
        #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
        let production = try Self.world()
        let options = production.options.map { $0 == "Sandbox" ? "Production" : $0 }
        let test = try Tool.run(["apple", "performance-test", "result", "R1"] + options)
        #expect(test.status == 64 && test.errors.contains("error: app-store-server-api.sandbox-only: "))
        let clear = try Tool.run(["apple", "auth"] + options + ["--base-url", "http://example.com"])
        #expect(clear.status == 64 && clear.errors.contains("error: app-store-server-api.base-url: "))
    }
}
