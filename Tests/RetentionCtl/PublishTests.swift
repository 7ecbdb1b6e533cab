import JSON
import Support
import System
import Testing

@Suite("retentionctl publish")
struct PublishTests {
    @Test(
        "needs hosts that can be hosts, and rules and facts that belong together",
        arguments: [
            (["--host", "-oProxyCommand=x"], Int32(64), "--host"),
            (["--host=-oProxyCommand=x"], 64, "-oProxyCommand=x"),
            (["--host", "a b"], 64, "a b"), (["--host", "one"], 64, "given twice"),
            (["--host=x;id"], 64, "x;id"), (["--host=a@b@c"], 64, "a@b@c"),
            (["--host", "one/two"], 64, "one/two"),
            (["--timeout", "0"], 64, "--timeout"),
            (["--remote-shell", "ssh 'x"], 64, "ssh 'x"), (["--reload", " "], 64, "--reload"),
            (["--retentiond=-x"], 64, "-x"),
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
        #expect(try Tool.run(["publish", "rules.json"]).status == 64)
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
        let sandbox = try world.run(["--json"])
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

    @Test("never lets a path of a host become an option or a command")
    func hostilePath() throws {
        let world = try PublishWorld()
        let data = #"it's "$(touch hit)" -e; `touch hit` *"#
        try world.addHost("one", data: data)
        let run = try world.run(["--confirm"], hosts: ["deploy@one"])
        #expect(run.status == 1, "\(run)")
        // The scripts load nothing, and publish notices that.
        #expect(run.errors.hasPrefix("error: publish.not-served: deploy@one: the reload ended well, and "))
        let name = "com.example.app.Production.rules.json"
        #expect(try world.names("one/\(data)") == [name])
        #expect(try world.names("one") == ["bin", data, "served.json"].sorted())
        let status = try FileStatus(path: world.folder.path(of: "hosts/one/\(data)/\(name)"))
        #expect(status.permissions == 0o640)
        #expect(world.asked.hasPrefix("-l\ndeploy\none\n"))
    }

    @Test(
        "changes nothing anywhere when a host cannot be reached, and leaves the hosts after a failure alone")
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
        try world.addHost("two")
        let stopped = try world.run(["--confirm", "--json"], hosts: ["two", "one"])
        #expect(stopped.status == 1, "\(stopped)")
        let hosts = try Tool.document(stopped).root.member("hosts")?.elements ?? []
        #expect(hosts.map { $0.member("outcome")?.string } == ["not-loaded", "not-tried"])
        #expect(try world.names("one/data").isEmpty)
    }

    @Test(
        "says what a host said that does not tell what it serves",
        arguments: [
            ("echo 'no supervisor runs' >&2; exit 2", "no supervisor runs (status 2)"),
            ("exec /nonexistent/retentiond", "(status 127)"), ("echo Welcome; cat served.json", "JSON"),
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
                "the file is there and not loaded: the host gave no verdict within 10 s; it may still load the file"
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
        try world.folder.write(
            "#!/bin/sh\necho 'openrsync: protocol version 29'\n", to: "rsync", permissions: 0o755)
        let old = try ProgramRun.run(
            ProgramRun.product("retentionctl"), world.words() + ["--confirm"],
            environment: ["PATH=\(world.folder.path):/usr/bin:/bin"])
        #expect(old.status == 70 && old.errors.hasPrefix("error: publish.program-missing: "), "\(old)")
        #expect(
            old.errors.contains("needs rsync 3.2.4 or newer") && old.errors.contains("openrsync"), "\(old)")
    }

    @Test("says when a host lacks the facts or the key that the rules need")
    func needs() throws {
        let world = try PublishWorld()
        let rules = """
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" },
              "environment": "LocalTesting", "locales": { "last": "en-US" },
              "facts": { "offersAccepted": "int" }, "caps": { "offer": { "maxAccepted": 1 } },
              "messages": { "half": { "kind": "offer", "ids": { "en-US": "\(PublishWorld.identifier)" } } },
              "default": { "serve": { "offer": "half", "productId": "p", "offerIdentifier": "o" } } }
            """
        try world.folder.write(rules, to: "rules.json")
        try world.addHost("one")
        // Nothing is asked of Apple for LocalTesting, so neither states nor credentials are needed.
        let words = ["publish", world.folder.path(of: "rules.json")] + world.options()
        let run = try Tool.run(words)
        #expect(run.status == 2, "\(run)")
        #expect(
            run.errors.contains(
                "publish.facts-missing: one has no facts file, and the rules read offersAccepted"))
        #expect(run.errors.contains("publish.signing-key-missing: one has no key that signs"), "\(run)")
        try world.addHost("one", signingApps: [7])
        #expect(try !Tool.run(words).errors.contains("signing-key-missing"))
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
            ["publish", rules, "--catalogue", apple.catalogue] + apple.apple.options.dropLast(2).dropFirst(2)
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

    @Test("says the rows of the facts before and after, and takes away more than half only when told to")
    func fewerRows() throws {
        let world = try PublishWorld()
        func facts(_ count: Int) throws -> String {
            let lines = ["originalTransactionId,paidPeriods"] + (1...count).map { "\($0),1" }
            try world.folder.write(lines.joined(separator: "\n"), to: "table.csv")
            try world.folder.write(
                """
                {"app": {"appAppleId": 7, "bundleId": "com.example.app"}, "environment": "Production",
                 "facts": {"paidPeriods": "int"}}
                """,
                to: "schema.json"
            )
            let path = world.folder.path(of: "new.facts")
            let words = [
                world.folder.path(of: "table.csv"), "--schema", world.folder.path(of: "schema.json"), "-o",
                path,
            ]
            #expect(try Tool.run(["facts", "build"] + words).status == 0)
            return path
        }
        func entry(_ rows: String) -> String {
            """
            [{"name": "app.facts", "kind": "facts", "appAppleId": 7, "environment": "Production",
              "digest": "\(String(repeating: "a", count: 64))"\(rows)}]
            """
        }
        try world.addHost("one", files: entry(#", "rows": 10"#))
        let few = ["--facts", try facts(4)]
        let refused = try world.run(few + ["--confirm"])
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.output.contains("; facts: 10 rows before, 4 rows after; copy "), "\(refused.output)")
        #expect(
            refused.errors.contains(
                "error: publish.fewer-rows: one serves facts of 10 rows, and these have 4 ("
            )
        )
        #expect(try world.names("one/data").isEmpty)
        let json = try Tool.document(world.run(few + ["--allow-fewer-rows", "--json"])).root
        let host = json.member("hosts")?.elements.first
        #expect(host?.member("factsRowsBefore")?.int64 == 10 && host?.member("factsRows")?.int64 == 4)
        #expect(try world.run(["--facts", facts(5)]).status == 2)
        // Facts alone need no rules, and nothing is asked of Apple.
        let alone = ["publish", "--facts", try facts(6)] + world.options(["one"])
        let planned = try Tool.run(alone)
        #expect(planned.status == 2, "\(planned)")
        #expect(planned.output.hasPrefix("Facts of 7 in Production: 6 rows\n"), "\(planned.output)")
        #expect(planned.output.contains("; facts: 10 rows before, 6 rows after; copy app.facts to "))
        _ = try facts(5)
        // An older host does not say it, and a new one has none.
        for (name, files, words) in [("older", entry(""), "not known how many"), ("new", "[]", "no")] {
            try world.addHost(name, files: files)
            let run = try world.run(few, hosts: [name])
            #expect(
                run.status == 2 && run.output.contains("; facts: \(words) rows before, 5 rows after;"),
                "\(run)")
        }
    }

    @Test(
        "puts the former file back when a host refuses the new one, and ends all processes of a late command"
    )
    func takenBack() throws {
        let world = try PublishWorld()
        let entry = """
            [{"name": "app.rules.json", "kind": "rules", "appAppleId": 7, "environment": "Production",
              "digest": "\(String(repeating: "a", count: 64))"}]
            """
        let refuse = """
            sed -i 's/"sequence":4,"result":"loaded"/"sequence":5,"result":"refused","code":"x","message":"y"/' served.json
            exit 1
            """
        try world.addHost("one", files: entry, reload: refuse)
        try world.folder.write("former", to: "hosts/one/data/app.rules.json")
        let run = try world.run(["--confirm"])
        #expect(run.status == 1 && run.errors.hasPrefix("error: publish.refused: one: refused"), "\(run)")
        #expect(run.errors.contains(" (the files that were there before are there again)"), "\(run.errors)")
        #expect(try world.names("one/data") == ["app.rules.json"])
        #expect(try world.folder.read("hosts/one/data/app.rules.json") == Array("former".utf8))

        try world.addHost("two", files: entry, reload: "sleep 1000 & echo $! >sleeper; wait")
        let late = try world.run(["--confirm", "--timeout", "5"], hosts: ["two"])
        #expect(late.status == 1 && late.errors.contains("gave no verdict within 5 s"), "\(late)")
        let sleeper = String(decoding: try world.folder.read("hosts/two/sleeper").dropLast(), as: UTF8.self)
        let comm = "/proc/\(sleeper)/comm"
        #expect(Patience.wait(seconds: 5) { (try? FileStatus(path: comm)) == nil }, "\(sleeper) runs")
    }

    @Test(
        "asks on a terminal, and anything but a yes makes it a dry run",
        arguments: [("y", Int32(1), true), ("yes", 1, true), ("n", 2, false), ("", 2, false)]
    )
    func terminal(answer: String, status: Int32, isDone: Bool) throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let words = [try ProgramRun.product("retentionctl")] + world.words()
        let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        // script(1) gives the command a terminal.
        let run = try ProgramRun.run(
            "script", ["-q", "-e", "-c", command, "/dev/null"], input: Array("\(answer)\n".utf8))
        #expect(run.output.contains("Publish to one? [y/N] "), "\(run)")
        // The scripts of this host load nothing, so a publication fails.
        #expect(run.status == status, "\(run)")
        #expect(run.output.contains("Dry run: nothing was changed.") == !isDone)
        #expect(try world.names("one/data").isEmpty == !isDone)
    }
}

/// Hosts that are folders of this machine, for `retentionctl publish`. A script takes the place of ssh, and on each host a
/// script takes the place of retentiond. The real rsync copies.
final class PublishWorld {
    let folder: TemporaryDirectory

    /// The words after the command: hosts, and how they are reached.
    func options(_ hosts: [String] = ["one"]) -> [String] {
        hosts.flatMap { ["--host", $0] } + [
            "--remote-shell", "'\(folder.path(of: "remote shell"))'", "--retentiond",
            "retentiond --config 'a b'",
            "--reload", "reload",
        ]
    }

    init() throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("hosts")
        // Called as ssh is: [-l user] host command. It reaches only the folders below hosts.
        try folder.write(
            """
            #!/bin/sh
            printf '%s\\n' "$@" >>'\(folder.path)/asked'
            env >>'\(folder.path)/environment'
            if [ "$1" = -l ]; then shift 2; fi
            cd '\(folder.path)/hosts/'"$1" 2>/dev/null || { echo "no route to $1" >&2; exit 255; }
            shift
            PATH="$PWD/bin:$PATH" exec sh -c "$*"

            """,
            to: "remote shell",
            permissions: 0o755
        )
        try folder.write(Self.rules(), to: "rules.json")
        try knows([Self.identifier: "APPROVED"])
    }

    static let identifier = "551ee7c0-c097-418e-9dd5-2a98533a7390"

    /// Rules that serve one message.
    static func rules(environment: String = "Production", message: String = "text") -> String {
        """
        { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "environment": "\(environment)", "locales": { "last": "en-US" },
          "messages": { "text": { "kind": "text", "ids": {
            "en-US": "\(identifier)" } } },
          "rules": [], "default": { "serve": { "message": "\(message)" } } }
        """
    }

    /// Writes the state of a catalogue, in which Apple has these messages.
    func knows(_ messages: [String: String]) throws {
        for environment in ["Production", "Sandbox"] {
            try folder.write(
                Self.state(messages), to: "com.example.app-\(environment).state.json")
        }
    }

    static func state(_ messages: [String: String]) -> String {
        let items = messages.map { #""message \#($0)": {"state": "\#($1)"}"# }.joined(separator: ",")
        return #"{"format": 1, "state": {"items": {\#(items)}, "defaults": {}, "unsettled": {}}}"#
    }

    /// Makes a host. `files` are the entries of the files that it serves, as JSON; `served` and `reload` are the scripts of
    /// retentiond and of the reload there.
    func addHost(
        _ name: String, data: String = "data", files: String = "[]", served: String? = nil,
        reload: String = "exit 0", signingApps: [Int] = []
    ) throws {
        for path in ["hosts/\(name)", "hosts/\(name)/bin", "hosts/\(name)/\(data)"]
        where (try? FileStatus(path: folder.path(of: path))) == nil { try folder.makeDirectory(path) }
        let directory = folder.path(of: "hosts/\(name)/\(data)").replacing("\"", with: "\\\"")
        try folder.write(
            #"{"dataDirectory":"\#(directory)","sequence":4,"result":"loaded","files":\#(files),"signingApps":\#(signingApps)}"#,
            to: "hosts/\(name)/served.json"
        )
        try script(name, "retentiond", served ?? "cat served.json")
        try script(name, "reload", reload)
    }

    private func script(_ host: String, _ name: String, _ text: String) throws {
        try folder.write("#!/bin/sh\n\(text)\n", to: "hosts/\(host)/bin/\(name)", permissions: 0o755)
    }

    /// The words of `publish` for the rules with the states.
    func words(_ hosts: [String] = ["one"]) -> [String] {
        ["publish", folder.path(of: "rules.json"), "--state", folder.path] + options(hosts)
    }

    func run(_ more: [String] = [], hosts: [String] = ["one"]) throws -> ProgramRun {
        try Tool.run(words(hosts) + more)
    }

    /// What the remote shell was asked for so far: its arguments, one on each line.
    var asked: String { (try? folder.read("asked")).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The names in a folder of a host.
    func names(_ path: String) throws -> [String] {
        let directory = try FileDescriptor.openDirectory(path: folder.path(of: "hosts/\(path)"))
        return try Directory.names(in: directory, limitCount: 100).sorted()
    }
}
