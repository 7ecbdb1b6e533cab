import JSON
import Rules
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Publishing rules to two hosts")
    struct PublishTests {
        /// Starts two pools and calls `body` with them. Requests can be sent to the first one.
        private static func run(_ body: (PublishHosts, Tester, Tester) throws -> Void) throws {
            let quiet = TesterOptions().with { $0.startsNginx = false }
            try Tester.run { one in
                try Tester.run(quiet) { two in
                    // A pool says that it is ready before it writes its first verdict.
                    for tester in [one, two] {
                        #expect(
                            Patience.wait(seconds: 60) {
                                (try? PublishHosts.served(tester).sequence) ?? 0 > 0
                            }
                        )
                    }
                    try body(PublishHosts([("one", one), ("two", two)]), one, two)
                }
            }
        }

        private static func inode(_ tester: Tester) throws -> FileIdentity {
            try FileStatus(path: tester.rulesPath).identity
        }

        @Test(
            "shows first and changes nothing; then both hosts serve the new rules, and there is nothing left to do"
        )
        func both() throws {
            try Self.run { hosts, one, two in
                let rules = PublishHosts.rules(.new)
                let before = try [one, two].map { try (PublishHosts.served($0), Self.inode($0)) }
                let dry = try hosts.publish(rules)
                #expect(dry.status == 2 && dry.errors.isEmpty, "\(dry)")
                #expect(
                    dry.output.contains("\n  ~ messages.value.ids.en-US: \"\(TestRules.old.rawValue)\" -> ")
                )
                #expect(dry.output.contains("\n  - rules: [{\"id\":\"silent\","))
                #expect(dry.output.hasSuffix("\nDry run: nothing was changed. --confirm publishes.\n"))
                for (tester, state) in zip([one, two], before) {
                    #expect(try PublishHosts.served(tester) == state.0)
                    #expect(try Self.inode(tester) == state.1)
                }
                #expect(try one.ask() == TestRules.old.answer)

                let run = try hosts.publish(rules, ["--confirm", "--json"])
                #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
                let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
                let root = try JSONDocument(parsing: Array(run.output.utf8).span, limits: limits).root
                let digest = root.member("sha256")?.string
                #expect(root.member("published")?.boolean == true && digest?.count == 64)
                let reported = root.member("hosts")?.elements ?? []
                #expect(reported.map { $0.member("outcome")?.string } == ["published", "published"])
                for (tester, state) in zip([one, two], before) {
                    let served = try PublishHosts.served(tester)
                    #expect(served.digest == digest && served.sequence == state.0.sequence + 1)
                    // rsync has renamed a new file into the place of the old one.
                    #expect(try Self.inode(tester) != state.1)
                    #expect(try FileStatus(path: tester.rulesPath).permissions == 0o640)
                }
                #expect(try one.hasSwitched(to: .new))

                let again = try hosts.publish(rules, ["--confirm"])
                #expect(again.status == 0, "\(again)")
                #expect(again.output.hasSuffix("\nNothing to do.\n"))
                #expect(try PublishHosts.served(one).digest == digest)
            }
        }

        @Test(
            "ends at the host that refuses, which serves what it served, and goes on once it takes the rules")
        func refusal() throws {
            try Self.run { hosts, one, two in
                let old = try PublishHosts.served(two)
                let former = try two.folder.read("data/app.rules.json")
                // The host's configuration no longer has the app in Production.
                let app =
                    #"[{"appAppleId":\#(TestPayload.appAppleId),"bundleId":"com.example.app","environments":["Sandbox"]}]"#
                try two.writeConfiguration(changes: [("apps", app)])
                let run = try hosts.publish(PublishHosts.rules(.new), ["--confirm"])
                #expect(run.status == 1, "\(run)")
                let new = try PublishHosts.served(one)
                #expect(run.output.contains("\n  one: loaded; it serves rules \(new.digest.prefix(12))\n"))
                #expect(run.errors.hasPrefix("error: publish.refused: two: "), "\(run.errors)")
                #expect(run.errors.contains("environment-not-configured"))
                #expect(try two.folder.read("data/app.rules.json") == former)
                #expect(try one.hasSwitched(to: .new))
                let after = try PublishHosts.served(two)
                #expect(after.digest == old.digest && new.digest != old.digest && after.result == "refused")

                // A host that comes later is left alone.
                let next = PublishHosts.rules(.old)
                let turned = try PublishHosts([("two", two), ("one", one)])
                let stopped = try turned.publish(next, ["--confirm"])
                #expect(
                    stopped.status == 1 && stopped.errors.contains("publish.not-served: one: "), "\(stopped)")
                #expect(try PublishHosts.served(one) == new)
                try two.writeConfiguration()
                let healed = try turned.publish(next, ["--confirm"])
                #expect(healed.status == 0, "\(healed)")
                #expect(try one.hasSwitched(to: .old))
            }
        }
    }
}

/// Hosts for `retentionctl publish`, each with a real pool. The hosts are folders of this machine: a script takes the place
/// of ssh, and reaches only them. The real rsync copies.
struct PublishHosts {
    let folder: TemporaryDirectory
    private let names: [String]

    init(_ testers: [(name: String, tester: Tester)]) throws {
        folder = try TemporaryDirectory()
        names = testers.map(\.name)
        try folder.makeDirectory("hosts")
        // Called as ssh is: [-l user] host command.
        try folder.write(
            """
            #!/bin/sh
            if [ "$1" = -l ]; then shift 2; fi
            cd '\(folder.path)/hosts/'"$1" 2>/dev/null || exit 255
            shift
            PATH="$PWD/bin:$PATH" exec sh -c "$*"

            """,
            to: "shell",
            permissions: 0o755
        )
        for (name, tester) in testers {
            try folder.makeDirectory("hosts/\(name)")
            try folder.makeDirectory("hosts/\(name)/bin")
            let command = "exec '\(try Programs.daemon())' --config '\(tester.configurationPath)' \"$@\""
            try script(on: name, "retentiond", command)
        }
    }

    /// Puts a program into the PATH of a host.
    func script(on host: String, _ name: String, _ text: String) throws {
        try folder.write("#!/bin/sh\n\(text)\n", to: "hosts/\(host)/bin/\(name)", permissions: 0o755)
    }

    /// Rules that serve one message to everybody.
    static func rules(_ message: TestRules) -> [UInt8] {
        TestRules.text(["value": message.rawValue], #""default": {"serve": {"message": "value"}}"#)
    }

    /// Publishes rules, whose messages Apple has approved, to all hosts, in their order.
    func publish(_ rules: [UInt8], _ more: [String] = []) throws -> ProgramRun {
        try folder.write(rules, to: "rules.json")
        let items = TestRules.allCases.map { #""message \#($0.rawValue)":{"state":"APPROVED"}"# }
        let state =
            #"{"format":1,"state":{"items":{\#(items.joined(separator: ","))},"defaults":{},"unsettled":{}}}"#
        try folder.write(state, to: "com.example.app-Production.state.json")
        return try Programs.run(
            Programs.tool(),
            [
                "publish", folder.path(of: "rules.json"), "--environment", "Production", "--state",
                folder.path,
                "--remote-shell", folder.path(of: "shell"), "--retentiond", "retentiond", "--reload",
                "retentiond --reload",
            ] + names.flatMap { ["--host", $0] } + more)
    }

    /// What a pool says itself that it serves.
    struct Served: Equatable {
        let sequence: Int64
        let result: String
        let digest: String
    }

    /// Asks a pool what it serves to the app of the tests.
    static func served(_ tester: Tester) throws -> Served {
        let run = try Programs.run(Programs.daemon(), ["--config", tester.configurationPath, "--served"])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
        let root = try JSONDocument(parsing: Array(run.output.utf8).span, limits: limits).root
        let file = root.member("files")?.elements.first
        return Served(
            sequence: root.member("sequence")?.int64 ?? 0, result: root.member("result")?.string ?? "",
            digest: file?.member("digest")?.string ?? "")
    }
}
