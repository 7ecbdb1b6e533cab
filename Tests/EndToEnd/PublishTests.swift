import JSON
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Publishing rules to two hosts")
    struct PublishTests {
        /// Starts two pools and calls `body` with them. Requests can be sent to the first one.
        private static func run(
            _ options: TesterOptions = TesterOptions(), _ body: (PublishHosts, Tester, Tester) throws -> Void
        ) throws {
            let quiet = options.with { $0.startsNginx = false }
            try Tester.run(options) { one in
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
            "says which host serves what when the second refuses, and leaves the second alone when the first does"
        )
        func refusal() throws {
            try Self.run { hosts, one, two in
                let old = try PublishHosts.served(two)
                let former = try two.folder.read("data/app.rules.json")
                // The host's configuration no longer has the app in Production.
                let apps = [
                    (
                        "apps",
                        #"[{"appAppleId":\#(TestPayload.appAppleId),"bundleId":"com.example.app","#
                            + #""environments":["Sandbox"]}]"#
                    )
                ]
                try TesterFolder.writeConfiguration(two, changes: apps)
                let run = try hosts.publish(PublishHosts.rules(.new), ["--confirm"])
                #expect(run.status == 1, "\(run)")
                let new = try PublishHosts.served(one)
                #expect(
                    run.output.contains("\n  one: loaded; it serves rules ") && new.digest != old.digest
                )
                #expect(run.output.contains("it serves rules \(new.digest.prefix(12))\n"))
                let refused = "two: refused the file: environment-not-configured: "
                #expect(run.output.contains("\n  \(refused)"))
                #expect(run.errors.hasPrefix("error: publish.refused: \(refused)"), "\(run.errors)")
                #expect(run.errors.contains("; it still serves the last good rules: rules "))
                #expect(
                    run.errors.contains(
                        " rules \(old.digest.prefix(12)) (the files that were there before are there "
                    )
                )
                #expect(try two.folder.read("data/app.rules.json") == former)
                #expect(try one.hasSwitched(to: .new))
                let after = try PublishHosts.served(two)
                #expect(after.digest == old.digest && after.result == "refused")

                // The comparison is with the file that serves.
                let next = PublishHosts.rules(.old)
                let turned = try PublishHosts([("two", two), ("one", one)])
                let plan = try turned.publish(next)
                #expect(
                    plan.output.contains("refused its last files (environment-not-configured)"), "\(plan)")
                #expect(
                    plan.output.contains("Against rules ")
                        && plan.output.contains(" which two serves:\n")
                )
                let stopped = try turned.publish(next, ["--confirm"])
                #expect(stopped.status == 1, "\(stopped)")
                #expect(
                    stopped.output.contains(
                        "\n  one: not tried, because an earlier host failed; it still serves rules "
                    )
                )
                #expect(stopped.errors.contains("warning: publish.not-tried: one: "))
                #expect(try PublishHosts.served(one) == new)
                let onward = try turned.publish(next, ["--confirm", "--keep-going"])
                #expect(onward.status == 1 && onward.output.contains("\n  one: loaded; "), "\(onward)")
                #expect(try one.hasSwitched(to: .old))

                // With its configuration back, the host takes the rules, and the other one is left alone.
                try TesterFolder.writeConfiguration(two)
                let healed = try turned.publish(next, ["--confirm"])
                #expect(healed.status == 0, "\(healed)")
                #expect(healed.output.contains("\n  one: serves these rules already; it serves rules "))
            }
        }

        @Test("changes nothing on a host that cannot store the file")
        func fullDisk() throws {
            try Self.run { hosts, one, two in
                let old = try (PublishHosts.served(two), Self.inode(two))
                let text =
                    #"echo "rsync: [receiver] mkstemp failed: Read-only file system (30)" >&2; exit 11"#
                try hosts.script(on: "two", "rsync", text)
                let run = try hosts.publish(PublishHosts.rules(.new), ["--confirm"])
                #expect(run.status == 1, "\(run)")
                #expect(
                    run.errors.hasPrefix("error: publish.copy-failed: two: the file could not be copied: ")
                )
                #expect(run.errors.contains("Read-only file system (30)"))
                #expect(try PublishHosts.served(two) == old.0)
                #expect(try Self.inode(two) == old.1)
                #expect(try one.hasSwitched(to: .new))
            }
        }

        @Test("stops in Production what Apple has not approved, and goes in Sandbox without serving it")
        func gate() throws {
            let options = TesterOptions().with {
                $0.configuration = [
                    (
                        "apps",
                        #"[{"appAppleId":\#(TestPayload.appAppleId),"bundleId":"com.example.app","#
                            + #""environments":["Production","Sandbox"]}]"#
                    )
                ]
            }
            try Self.run(options) { hosts, one, two in
                let before = try [one, two].map { try PublishHosts.served($0) }
                let stopped = try hosts.publish(PublishHosts.rules(.new), state: "PENDING", ["--confirm"])
                #expect(stopped.status == 1, "\(stopped)")
                let path = hosts.folder.path(of: "rules.json")
                #expect(
                    stopped.errors
                        == "\(path):3:62: error: publish.not-approved: the default serves \"value\" in en-US "
                        + "(\(TestRules.new.rawValue)), which is PENDING (wait until Apple approves it; \"retentionctl "
                        + "catalogue status\" shows the state)\n"
                )
                #expect(try [one, two].map { try PublishHosts.served($0) } == before)

                let rules = PublishHosts.rules(.new, environment: "Sandbox")
                let sandbox = try hosts.publish(
                    rules, environment: "Sandbox", state: "PENDING", ["--confirm"])
                #expect(sandbox.status == 0, "\(sandbox)")
                for (tester, state) in zip([one, two], before) {
                    #expect(try PublishHosts.served(tester, environment: "Sandbox").digest.count == 64)
                    let name = tester.folder.path(of: "data/com.example.app.Sandbox.rules.json")
                    let pushed = String(
                        decoding: try FileDescriptor.openForReading(path: name).readAll(limitBytes: 1 << 20),
                        as: UTF8.self)
                    #expect(pushed.contains(#""unapproved""#), "\(pushed)")
                    #expect(try PublishHosts.served(tester).digest == state.digest)
                }
                // The approval changes what is served, so the same rules are published again.
                let approved = try hosts.publish(rules, environment: "Sandbox", ["--confirm"])
                #expect(approved.status == 0, "\(approved)")
                #expect(
                    approved.output.contains(
                        "\n  - unapproved: {\"\(TestRules.new.rawValue)\":\"PENDING\"}\n"), "\(approved)")
                #expect(try hosts.publish(rules, environment: "Sandbox").status == 0)
            }
        }
    }
}
