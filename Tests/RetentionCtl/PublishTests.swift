import JSON
import Support
import System
import Testing

@Suite("retentionctl publish")
struct PublishTests {
    @Test(
        "needs an environment and hosts that can be hosts",
        arguments: [
            (["--environment", "LocalTesting"], Int32(64), "The environment must be Production or Sandbox."),
            (["--host", "-oProxyCommand=x"], 64, "--host"),
            (["--host=-oProxyCommand=x"], 64, "-oProxyCommand=x"),
            (["--host", "a b"], 64, "a b"), (["--host", "one"], 64, "given twice"),
            (["--timeout", "0"], 64, "--timeout"), (["--rsync=-e"], 64, "--rsync"),
            (["--remote-shell", "ssh 'x"], 64, "publish.bad-argument"),
            (["--reload", " "], 64, "publish.bad-argument"),
            (["--retentiond=-x"], 64, "publish.bad-argument"), (["--name", ".x"], 64, "--name"),
            (["--name", "a/b"], 64, "--name"), (["--sample", "-"], 64, "--sample"),
            (["--bundle-id", "com.example.other"], 64, "input.other-app"),
            (["--environment", "Sandbox"], 65, "input.other-app"),
            (["--facts", "/nonexistent"], 65, "system.enoent"),
            (["--ignore", "nothing"], 64, "nothing"),
        ]
    )
    func usage(words: [String], status: Int32, text: String) throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let run = try world.run(words)
        #expect(run.status == status, "\(run)")
        #expect(run.errors.contains(text), "\(run.errors)")
        #expect(try world.names("one/data").isEmpty)
        let missing = try Tool.run(["publish", "rules.json", "--host", "one"])
        #expect(missing.status == 64 && missing.errors.contains("--environment"))
        #expect(try Tool.run(["publish", "rules.json", "--environment", "Sandbox"]).status == 64)
    }

    @Test(
        "stops before any host is asked when lint, a test or the compiler finds something",
        arguments: [
            (#""rules": []"#, #""rules": [7]"#, Int32(65), "rules.json:5:13: error: rules.wrong-type"),
            (
                #""rules": []"#,
                #""rules": [{"id": "a", "when": {"fact": "productId", "eq": "x"}, "serve": "none"}]"#, 1,
                "warning: lint.untested-rule"
            ),
            (
                #""rules": []"#,
                #"""
                "rules": [], "tests": [{"name": "t", "given": {"productId": "x", "userLocale": "en-US",
                "originalTransactionId": "1", "now": "2026-11-21T00:00:00Z"}, "expect": {"serve": "none"}}]
                """#, 1, "error: embedded-test-failed"
            ),
        ]
    )
    func wrongRules(old: String, new: String, status: Int32, text: String) throws {
        let world = try PublishWorld()
        try world.addHost("one")
        try world.folder.write(PublishWorld.rules().replacing(old, with: new), to: "rules.json")
        let run = try world.run(["--confirm"])
        #expect(run.status == status, "\(run)")
        #expect(run.errors.contains(text), "\(run.errors)")
        #expect(world.asked.isEmpty)
        if text.contains("lint.") {
            #expect(run.errors.contains("publish.lint-warnings: lint has 1 warning (correct the rules, or"))
            #expect(try world.run(["--ignore", "untested-rule"]).status == 2)
        }
    }

    @Test(
        "stops in Production with the place of what is not approved, and goes in Sandbox",
        arguments: [("PENDING", "not-approved"), ("REJECTED", "rejected"), (nil, "not-uploaded")]
    )
    func gate(state: String?, reason: String) throws {
        let world = try PublishWorld()
        try world.addHost("one")
        try world.knows(state.map { [PublishWorld.identifier: $0] } ?? [:])
        let file = world.folder.path(of: "rules.json")
        let stopped = try world.run(["--confirm"])
        #expect(stopped.status == 1, "\(stopped)")
        #expect(
            stopped.errors.hasPrefix(
                "\(file):4:14: error: publish.\(reason): the default serves \"text\" in en-US"
            )
        )
        #expect(world.asked.isEmpty && stopped.output.isEmpty)
        let json = try world.run(["--json"])
        #expect(json.status == 1 && json.errors.isEmpty)
        let diagnostic = try Tool.document(json).root.member("diagnostics")?.elements.first
        #expect(diagnostic?.member("line")?.int64 == 4 && diagnostic?.member("column")?.int64 == 14)

        let allowed = try world.run(["--allow-pending"])
        #expect(allowed.status == 2, "\(allowed)")
        #expect(allowed.errors.hasPrefix("\(file):4:14: warning: publish.\(reason): "))
        try world.folder.write(PublishWorld.rules(environment: "Sandbox"), to: "rules.json")
        let sandbox = try world.run(["--json"], environment: "Sandbox")
        #expect(sandbox.status == 2, "\(sandbox)")
        let root = try Tool.document(sandbox).root
        #expect(root.member("notApproved")?.elements.first?.member("code")?.string == "publish.\(reason)")
        #expect(root.member("published")?.boolean == false)
    }

    @Test("changes nothing without consent, and says what it would do")
    func dryRun() throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let run = try world.run()
        #expect(run.status == 2, "\(run)")
        let data = world.folder.path(of: "hosts/one/data")
        #expect(
            run.output.contains(
                "\n  one: serves no such file of this app; copy com.example.app.Production.rules.json to \(data), reload, check\n"
            )
        )
        #expect(run.output.hasSuffix("\nDry run: nothing was changed. --confirm publishes.\n"))
        #expect(run.output.contains("  approval    everything that is served is APPROVED, says "))
        #expect(try world.names("one/data").isEmpty)
        #expect(world.asked == "one\n'retentiond' '--config' 'a b' '--served-rules'\n")
    }

    @Test("names a file as told on a host that has none, and never lets a path become an option or a command")
    func hostilePath() throws {
        let world = try PublishWorld()
        let data = #"it's "$(touch hit)" -e; `touch hit` *"#
        try world.addHost("one", data: data)
        let run = try world.run(["--confirm", "--name=-app"], hosts: ["deploy@one"])
        #expect(run.status == 1, "\(run)")
        // The scripts load nothing, and publish notices that.
        #expect(run.errors.hasPrefix("error: publish.not-served: deploy@one: the reload ended well, and "))
        #expect(try world.names("one/\(data)") == ["-app.rules.json"])
        #expect(try world.names("one") == ["bin", data, "served.json"].sorted())
        let status = try FileStatus(path: world.folder.path(of: "hosts/one/\(data)/-app.rules.json"))
        #expect(status.permissions == 0o640)
        #expect(world.asked.hasPrefix("-l\ndeploy\none\n"))
    }

    @Test("changes nothing anywhere when a host cannot be reached, unless it shall go on")
    func unreachable() throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let run = try world.run(["--confirm"], hosts: ["one", "two"])
        #expect(run.status == 69, "\(run)")
        #expect(
            run.errors
                == "error: publish.unreachable: two: cannot be reached: no route to two (status 255) "
                + "(nothing was changed on any host)\n"
        )
        #expect(try world.names("one/data").isEmpty)
        let onward = try world.run(["--confirm", "--keep-going", "--json"], hosts: ["two", "one"])
        #expect(onward.status == 1, "\(onward)")
        let hosts = try Tool.document(onward).root.member("hosts")?.elements ?? []
        #expect(hosts.map { $0.member("outcome")?.string } == ["not-asked", "not-loaded"])
        #expect(hosts.first?.member("code")?.string == "publish.unreachable")
        #expect(try world.names("one/data") == ["com.example.app.Production.rules.json"])
    }

    @Test(
        "says what a host said that does not tell what it serves",
        arguments: [
            ("echo 'no supervisor runs' >&2; exit 2", "no supervisor runs (status 2)"),
            ("exec /nonexistent/retentiond", "(status 127)"), ("echo Welcome; cat served.json", "json."),
            ("exec sleep 1000", "more than 1 s"), ("echo '{}'", "dataDirectory"),
            ("printf '\\033[2J\\n' >&2; exit 1", "\\u{1b}[2J"),
        ]
    )
    func strangeHost(script: String, text: String) throws {
        let world = try PublishWorld()
        try world.addHost("one", served: script)
        // A machine that is busy must not make the other hosts late.
        let run = try world.run(["--timeout", script.contains("sleep") ? "1" : "300"])
        #expect(run.status == 69, "\(run)")
        #expect(run.errors.hasPrefix("error: publish.unreachable: one: "))
        #expect(run.errors.contains(text) && !run.errors.contains("\u{1b}"), "\(run.errors)")
    }

    @Test(
        "says why a host that has the file has not loaded it",
        arguments: [
            (
                "echo 'a password is required' >&2; exit 1",
                "the file is there and not loaded: a password is required (status 1)"
            ),
            (
                "exec sleep 1000",
                "the file is there, and the host gave no verdict within 10 s; it may still load the file"
            ),
        ]
    )
    func notLoaded(script: String, text: String) throws {
        let world = try PublishWorld()
        try world.addHost("one", reload: script)
        let run = try world.run(["--timeout", "10", "--confirm"])
        #expect(run.status == 1, "\(run)")
        #expect(
            run.errors.hasPrefix(
                "error: publish.not-served: one: \(text); it serves no such file of this app (")
        )
        #expect(try world.names("one/data") == ["com.example.app.Production.rules.json"])
    }

    @Test("needs rsync and the remote shell on this machine")
    func programs() throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let shell = try world.run(["--remote-shell", "no-such-shell"])
        #expect(shell.status == 69 && shell.errors.contains("publish.program-missing: one: "), "\(shell)")
        let rsync = try world.run(["--rsync", "no-such-rsync"])
        #expect(rsync.status == 70 && rsync.errors.contains("publish.program-missing: "), "\(rsync)")
        try world.folder.write(
            "#!/bin/sh\necho 'openrsync: protocol version 29'\n", to: "rsync", permissions: 0o755)
        let old = try world.run(["--rsync", world.folder.path(of: "rsync"), "--confirm"])
        #expect(old.status == 70 && old.errors.hasPrefix("error: publish.program-missing: "), "\(old)")
        #expect(
            old.errors.contains("needs rsync 3.2.4 or newer") && old.errors.contains("openrsync"), "\(old)")
    }

    @Test("asks Apple for the states of a catalogue, and gives no secret to a process")
    func pull() throws {
        let text = CatalogueWorld.text.replacing("\"Sandbox\"", with: "\"Production\"")
        let apple = try CatalogueWorld(text)
        let production = ["--environment", "Production"]
        apple.server.withState { $0.approves = false }
        #expect(try apple.run("apply", ["--confirm"] + production).status == 2)
        let world = try PublishWorld()
        try world.addHost("one")
        try world.folder.write(
            """
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" },
              "environment": "Production",
              "default": { "serve": { "message": "reminder" } } }
            """,
            to: "rules.json"
        )
        let rules = world.folder.path(of: "rules.json")
        let words =
            ["publish", rules, "--catalogue", apple.catalogue] + apple.apple.options.dropLast(2) + production
            + world.options()
        let stopped = try Tool.run(words)
        #expect(stopped.status == 1, "\(stopped)")
        let lines = stopped.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[0].hasPrefix(
                "\(rules):3:25: error: publish.not-approved: the default serves \"reminder\" in en-US ("
            )
        )
        #expect(lines[1].contains("\"reminder\" in de-DE ("))
        #expect(
            lines[2].hasPrefix(
                "\(apple.catalogue):21:17: error: publish.not-approved: the default message \"reminder\" is not "
                    + "APPROVED in en-US, de-DE (Apple asks your server only where"
            )
        )
        apple.server.withState { $0.review() }
        let environment = [
            "PATH=/usr/bin:/bin", "RETENTIONCTL_KEY_ID=2X9R4HXF34", "RETENTIONCTL_ISSUER_ID=secret-issuer",
        ]
        let run = try ProgramRun.run(ProgramRun.product("retentionctl"), words, environment: environment)
        #expect(run.status == 2, "\(run)")
        #expect(run.output.contains("everything that is served is APPROVED, says Apple"))
        apple.apple.checkSecrets(run)
        let seen = world.asked + String(decoding: try world.folder.read("environment"), as: UTF8.self)
        #expect(!seen.contains("RETENTIONCTL") && !seen.contains("secret-issuer") && !seen.contains("key.p8"))
        for line in apple.apple.pem.split(separator: "\n") { #expect(!seen.contains(line)) }
        // A locale of the catalogue in which the message has no text.
        let short = text.replacing(/,\s*"de-DE": \{ "header": "H2"[^}]*\}/, with: "")
        #expect(short != text)
        try apple.apple.folder.write(short, to: "catalogue.json")
        let missing = try Tool.run(words)
        #expect(missing.status == 1, "\(missing)")
        #expect(
            missing.errors.hasPrefix(
                "\(rules):3:25: error: publish.missing-locale: the default serves \"reminder\", which has no text in "
                    + "de-DE, and no fallback leads to one (add the text, upload it and wait for Apple's review; or "
            ),
            "\(missing.errors)"
        )
    }
}
