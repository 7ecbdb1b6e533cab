import JSON
import NotificationStore
import Support
import Synchronization
import System
import Testing

@Suite("retentionctl notifications recover, apple test-notification, and subscriptions sync")
struct RecoveryCommandTests {
    private static let life = ["SUBSCRIBED.INITIAL_BUY", "DID_RENEW", "EXPIRED.VOLUNTARY"]

    @Test("recover stores what the store misses, once, and says how many were new")
    func recover() throws {
        let world = try RecoveryCommandWorld()
        try world.send(Self.life + ["--count", "15"])
        let first = try world.recover()
        #expect(first.root.member("new")?.int64 == 45)
        #expect(first.root.member("app")?.string == "com.example.app")
        #expect(first.root.member("notStored")?.members.isEmpty == true)
        try world.send(Self.life + ["--subscriber", "3000000001"])
        let second = try world.recover()
        #expect(second.root.member("new")?.int64 == 3)
        #expect(try #require(second.root.member("calls")?.int64) < 10, "the covered days are read again")
        // Ranges overlap for an hour after midnight (UTC): what was sent then is read twice.
        let known = try world.recover(["--only-failures"]).root.member("alreadyStored")?.int64
        #expect((48...96).contains(known ?? 0))
        let text = try world.run("recover", ["--store", world.store] + world.trust)
        #expect(text.output.contains(#/environment +Production\nnew +0\nalreadyStored +/#))
        let list = try Tool.run(["notifications", "list", "--json", "--store", world.store])
        let rows = try Tool.document(list).root.member("notifications")?.elements ?? []
        #expect(Set(rows.compactMap { $0.member("notificationUUID")?.string }).count == 48)
        #expect(rows.count == 48 && rows.allSatisfy { $0.member("source")?.string == "history" })
    }

    @Test("recover of another root stores nothing, says why, and ends with 65")
    func refused() throws {
        let world = try RecoveryCommandWorld("Sandbox")
        try world.send(["DID_RENEW"])
        let run = try world.run("recover", ["--json", "--store", world.store])
        #expect(run.status == 65, "\(run.errors)")
        let lost = try Tool.document(run).root.member("notStored")?.members ?? []
        #expect(lost.count == 1)
        let history = try world.run("recover", ["--dry-run"])
        #expect(history.status == 65 && history.output.hasPrefix("anchor-unknown "), "\(history.output)")
        #expect(try world.recover().root.member("new")?.int64 == 1)
    }

    @Test("recover --dry-run lists what Apple has from page to page, and stores nothing")
    func dryRun() throws {
        let world = try RecoveryCommandWorld("Sandbox")
        try world.send(Self.life + ["--count", "15"])
        let words = ["--dry-run", "--store", world.store] + world.trust
        let text = try world.run("recover", words)
        let lines = text.output.split(separator: "\n")
        #expect(text.status == 0 && lines.count == 45, "\(text.errors)")
        #expect(lines[0].contains(" SUBSCRIBED INITIAL_BUY "), "\(text.output)")
        let json = try world.run("recover", words + ["--json", "--only-failures"])
        let types = try json.output.split(separator: "\n").map { line in
            let document = try JSONDocument(
                parsing: Array(line.utf8).span, limits: JSONLimits(byteCount: 1 << 20, depth: 8))
            return document.root.member("notificationType")?.string
        }
        #expect(types.count == 45 && types.count { $0 == "DID_RENEW" } == 15)
        let old = ["--to", "\(Clock.wallMilliseconds() - 86_400_000)"]
        #expect(try world.run("recover", words + old).output.isEmpty)
        let list = try Tool.run(["notifications", "list", "--store", world.store])
        #expect(list.status == 65 && list.output.isEmpty, "\(list)")
    }

    @Test("test prints what Apple reports, and ends with 1 when the notification did not arrive")
    func test() throws {
        let world = try RecoveryCommandWorld()
        let run = try world.run("test-notification", ["--json"], of: "apple")
        #expect(run.status == 1, "\(run.errors)")
        let root = try Tool.document(run).root
        let results = root.member("sendAttempts")?.elements.compactMap {
            $0.member("sendAttemptResult")?.string
        }
        #expect(results?.isEmpty == false && results?.contains("SUCCESS") == false)
        let token = try #require(root.member("testNotificationToken")?.string)
        let again = try world.run("test-notification", ["--token", token, "--timeout", "0"], of: "apple")
        #expect(
            again.status == 1 && again.output.hasPrefix("testNotificationToken  \(token)\n"),
            "\(again.output)")
        #expect(again.output.contains(" \(results?.first ?? "?")\n"))
    }

    @Test("test ends with 0 when Apple reports success, after it has waited for that")
    func success() throws {
        let world = try RecoveryCommandWorld(change: { body in
            let text = String(decoding: body, as: UTF8.self)
            return Array(
                text.replacing(/"sendAttemptResult":"[A-Z_]*"/, with: #""sendAttemptResult":"SUCCESS""#).utf8
            )
        })
        let run = try world.run("test-notification", [], of: "apple")
        #expect(run.status == 0 && run.output.hasSuffix(" SUCCESS\n"), "\(run)")
    }

    @Test("subscriptions sync stores what Apple's server says about subscribers, and knows who is stale")
    func sync() throws {
        let world = try RecoveryCommandWorld()
        try world.send(Self.life + ["--count", "3"])
        let ids = try world.write("2000000001\n\n2000010001\n2000000001\n99999999\n", to: "ids")
        let words = ["--json", "--store", world.store] + world.trust
        for _ in 0..<2 {
            let run = try world.run("sync", ["--ids", ids] + words, of: "subscriptions")
            #expect(run.status == 1, "\(run)")
            let root = try Tool.document(run).root
            #expect(root.member("subscribers")?.int64 == 2)
            #expect(root.member("refusedSubscribers")?.members.map(\.value.int64) == [1])
            // Of each subscriber a status with two parts, and two transactions; the server signs them anew for each call.
            #expect(root.member("new")?.int64 == 8 && root.member("calls")?.int64 == 4)
            #expect(root.member("notStored")?.members.isEmpty == true)
        }
        let text = try world.run(
            "sync", ["--ids", ids, "--store", world.store] + world.trust, of: "subscriptions")
        #expect(text.output.contains("\nrefusedSubscribers\n  apple."), "\(text.output)")
        #expect(text.output.contains(#/subscribers +2\ndone +3\nof +3\n/#), "\(text.output)")
        #expect(text.errors.hasPrefix("line 5, identifier 99999999: apple.4040010: "))
        #expect(text.errors.contains("it may be of Sandbox"), "\(text.errors)")
        let other = try world.run(
            "sync", ["--json", "--ids", ids, "--store", world.store, "--app", "1"],
            of: "subscriptions")
        #expect(other.status == 65, "the root of the simulator is not Apple's: \(other)")
        // Both were heard of just now: nobody is stale for a day, and both are since now.
        for (days, count) in [("1", 0), ("0", 2)] as [(String, Int64)] {
            let run = try world.run("sync", ["--stale", days] + words, of: "subscriptions")
            #expect(run.status == 0, "\(run)")
            #expect(try Tool.document(run).root.member("subscribers")?.int64 == count)
        }
        for (words, status, message) in [
            (["--store", world.store], 64, "--ids or --stale"),
            (["--stale", "1", "--ids", ids], 64, "--ids or --stale"), (["--stale", "-1"], 64, "--stale"),
            (["--ids", "/nonexistent", "--store", world.store], 65, "system.enoent"),
        ] as [([String], Int32, String)] {
            let run = try world.run("sync", words + world.trust, of: "subscriptions")
            #expect(run.status == status && run.errors.contains(message), "\(words): \(run)")
        }
    }

    @Test("subscriptions sync says how far it came when it ends early, and the next run goes on there")
    func interrupted() throws {
        let state = Mutex((calls: 0, refusesFrom: 4))
        let world = try RecoveryCommandWorld(status: { path, status in
            state.withLock { state in
                guard path.contains("/subscriptions/") || path.contains("/history/") else { return status }
                state.calls += 1
                return state.calls > state.refusesFrom ? 503 : status
            }
        })
        try world.send(Self.life + ["--count", "4"])
        let ids = try world.write("2000000001\n\n2000010001\n2000020001\n2000030001\n", to: "ids")
        let words = ["--ids", ids, "--store", world.store] + world.trust
        let first = try world.run("sync", words, of: "subscriptions")
        #expect(first.status != 0 && first.output.contains(#/subscribers +2\ndone +2\nof +4\n/#), "\(first)")
        #expect(
            first.errors.contains("line 4, identifier 2000020001: not done; the same command goes on here\n")
        )
        state.withLock { $0 = (0, .max) }
        let second = try world.run("sync", words, of: "subscriptions")
        #expect(
            second.status == 0 && second.output.contains(#/subscribers +2\ndone +4\nof +4\n/#), "\(second)")
        #expect(second.errors.hasPrefix("goes on behind line 3\n"))
        // The list is done, so the next run takes it from its beginning.
        let third = try world.run("sync", words, of: "subscriptions")
        #expect(third.status == 0 && third.output.contains(#/subscribers +4\ndone +4\nof +4\n/#), "\(third)")
    }

    @Test("refuses options that cannot be right")
    func options() throws {
        let world = try RecoveryCommandWorld()
        let other = #"{"apps":[{"appAppleId":1,"bundleId":"com.example.app","environments":["Sandbox"]}]}"#
        let configuration = try world.write(other, to: "other.json")
        for (command, words, status, message) in [
            ("recover", ["--from", "5", "--to", "5"], 64, "--from must be before --to"),
            ("recover", world.trust, 64, "store.not-named"),
            ("recover", ["--store", world.store], 64, "recovery.app-apple-id-missing"),
            (
                "recover", ["--store", world.store, "--config", configuration], 65,
                "recovery.app-not-configured"
            ),
            ("recover", ["--store", world.store, "--app", "0"], 64, "--app"),
            ("recover", ["--dry-run", "--to", "5"] + world.trust, 64, "recovery.empty-range"),
            ("test-notification", ["--timeout", "-1"], 64, "--timeout"),
            ("test-notification", ["--token", "../x y"], 1, "apple.4000020"),
        ] as [(String, [String], Int32, String)] {
            let group = command == "recover" ? "notifications" : "apple"
            let run = try world.run(command, words, of: group)
            #expect(run.status == status && run.errors.contains(message), "\(command) \(words): \(run)")
        }
    }
}
