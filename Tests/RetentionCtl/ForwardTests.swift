import NotificationStore
import SQL
import Support
import Synchronization
import System
import Testing

@Suite("retentionctl notifications forward")
struct ForwardTests {
    /// A receiver behind nginx with TLS, and a configuration that names it.
    final class World {
        let tool: Tool
        let store: StoreWorld
        let address: String
        let received = Received()
        private let server: LoopbackServer
        private let nginx: TLSServerProcess
        let configuration: String

        init(count: Int, filter: String = "") throws {
            tool = try Tool()
            store = try StoreWorld()
            address = try store.filled(.sqlite, count: count)
            let received = received
            server = try LoopbackServer { request in received.take(request.body) }
            nginx = try TLSServerProcess(
                nginx: "location / { proxy_pass http://127.0.0.1:\(server.port); }",
                certificate: "\(tool.authority)/tls-server.pem", key: "\(tool.authority)/tls-server.key",
                in: tool.folder)
            configuration = tool.folder.path(of: "retentiond.json")
            try tool.folder.write(
                """
                {"apps": [{"appAppleId": 531412, "bundleId": "com.example.app", "environments": ["Sandbox"]}],
                 "notifications": {"store": "\(address)",
                    "forward": [{"url": "https://127.0.0.1:\(nginx.port)/in?key=hunter2"\(filter)}]}}
                """,
                to: "retentiond.json"
            )
        }

        deinit {
            server.stop()
        }

        var words: [String] {
            [
                "notifications", "forward", "--config", configuration, "--cacert",
                "\(tool.authority)/tls-authority.pem",
            ]
        }
    }

    /// What the receiver got, and what it answers.
    final class Received: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])
        private let reply = Mutex<LoopbackServer.Reply>(.respond(status: 200))

        var all: [[UInt8]] { bodies.withLock { $0 } }

        private let refused = Mutex<[UInt8]?>(nil)

        /// Refuses one body with 400 from now on.
        func refuse(_ body: [UInt8]?) { refused.withLock { $0 = body } }

        func answer(_ new: LoopbackServer.Reply) { reply.withLock { $0 = new } }

        func take(_ body: [UInt8]) -> LoopbackServer.Reply {
            bodies.withLock { $0.append(body) }
            if refused.withLock({ $0 == body }) { return .respond(status: 400) }
            return reply.withLock { $0 }
        }
    }

    @Test("passes on what is stored, once, then only what is new")
    func once() throws {
        let world = try World(count: 30)
        let expected = try world.store.lines(of: "bodies")
        let run = try Tool.run(world.words)
        #expect(run.status == 0, "\(run.errors)")
        #expect(world.received.all == expected)
        try world.store.take(world.store.bodies(30..<35, to: "more"), into: world.address)
        let again = try Tool.run(world.words)
        #expect(again.status == 0)
        #expect(try world.received.all == expected + world.store.lines(of: "more"))
    }

    @Test(
        "reports a receiver that answers wrongly or redirects, without its secret, and goes on behind it later"
    )
    func failures() throws {
        let world = try World(count: 3)
        for (reply, words) in [
            (LoopbackServer.Reply.respond(status: 500), "status 500"),
            (.respond(status: 302, headers: ["Location: https://127.0.0.1:1/"]), "status 302"),
        ] {
            world.received.answer(reply)
            let run = try Tool.run(world.words)
            #expect(run.status == 69 && run.errors.contains(words), "\(run.errors)")
            #expect(run.errors.contains("error: forward.receiver-failed: "))
            #expect(!run.errors.contains("hunter2"))
        }
        world.received.answer(.respond(status: 204))
        #expect(try Tool.run(world.words).status == 0)
        let expected = try world.store.lines(of: "bodies")
        #expect(world.received.all == [expected[0], expected[0]] + expected)
    }

    @Test("takes 2xx for success, however long the receiver's answer is")
    func longAnswer() throws {
        let world = try World(count: 3)
        world.received.answer(.respond(status: 200, body: [UInt8](repeating: 0x20, count: 3 << 20)))
        let run = try Tool.run(world.words)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try world.received.all == world.store.lines(of: "bodies"))
    }

    @Test("skips nothing when it is killed at any point", arguments: [1, 2, 90, 101, 150])
    func killed(count: Int) throws {
        let world = try World(count: 160)
        let expected = try world.store.lines(of: "bodies")
        var child = ChildProcess(
            executable: try ProgramRun.product("retentionctl"),
            arguments: ["retentionctl"] + world.words + ["--follow"],
            environment: ["PATH=/usr/bin:/bin", "LANG=C"])
        let sink = try FileDescriptor.create(path: world.tool.folder.path(of: "log"), permissions: 0o600)
        child.descriptors = [(sink.number, 1), (sink.number, 2)]
        let number = try child.start()
        while world.received.all.count < count, Processes.exists(number) { Clock.sleep(milliseconds: 1) }
        try Processes.send(.kill, to: number)
        _ = Processes.wait(for: number)
        let before = world.received.all
        #expect(before == Array(expected.prefix(before.count)) && before.count >= count)
        #expect(try Tool.run(world.words).status == 0)
        // The receiver has everything, in order, and at most about a hundred notifications twice.
        let after = Array(world.received.all.dropFirst(before.count))
        let isWhole = Self.withoutLate(expected.dropFirst(before.count).first, in: after).contains { after in
            let start = expected.count - after.count
            return start >= 0 && start <= before.count && before.count - start <= 101
                && after == Array(expected[start...])
        }
        #expect(isWhole)
    }

    /// Returns the list itself, and the lists without one occurrence of `late`: the receiver may note the request that was
    /// under way at the kill at any time afterwards.
    private static func withoutLate(_ late: [UInt8]?, in bodies: [[UInt8]]) -> [[[UInt8]]] {
        [bodies]
            + bodies.indices.filter { bodies[$0] == late }.map { place in
                var rest = bodies
                rest.remove(at: place)
                return rest
            }
    }

    @Test("wants receivers from the configuration")
    func configuration() throws {
        let world = try StoreWorld()
        let apps = #""apps": [{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]}]"#
        for (text, status, code) in [
            ("{\(apps)}", 65, "forward.no-receiver"),
            (
                #"{\#(apps), "notifications": {"forward": [{"url": "http://example.com/"}]}}"#, 65,
                "configuration."
            ),
        ] as [(String, Int32, String)] {
            try world.folder.write(text, to: "retentiond.json")
            let run = try Tool.run([
                "notifications", "forward", "--config", world.folder.path(of: "retentiond.json"),
            ])
            #expect(run.status == status && run.errors.contains(code), "\(run.errors)")
        }
        #expect(try Tool.run(["notifications", "forward"]).status == 64)
        // Other commands take the store of the configuration, too.
        let address = try world.filled(.sqlite, count: 2)
        try world.folder.write(
            #"{\#(apps), "notifications": {"store": "\#(address)"}}"#,
            to: "retentiond.json"
        )
        let stats = try Tool.run(["store", "stats", "--config", world.folder.path(of: "retentiond.json")])
        #expect(
            stats.status == 0 && stats.output.hasPrefix("store            \(address)\n"), "\(stats.errors)")
    }

    @Test("has a limit for pruning in the configuration, where 0 keeps everything")
    func retentionDays() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 60)
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        // One notification came 100 days ago.
        let old = try #require(try store.notifications().rows.first { $0.columns.type == "TEST" })
        store.disconnect()
        let connection = try SQLiteConnection(
            path: world.folder.path(of: "store.db"), SQLiteOptions(access: .write))
        try connection.run(
            "UPDATE notifications SET received_at = received_at - 8640000000 WHERE id = ?", [.integer(old.id)]
        )
        for (days, count) in [(0, 0), (101, 0), (99, 1)] {
            try world.folder.write(
                """
                {"apps": [{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]}],
                 "notifications": {"store": "\(address)", "retentionDays": \(days)}}
                """,
                to: "retentiond.json"
            )
            let run = try Tool.run([
                "store", "prune", "--confirm", "--config", world.folder.path(of: "retentiond.json"),
            ])
            #expect(
                run.status == 0 && run.output.hasPrefix("deleted          \(count)\n"),
                "\(days) \(run.errors)")
        }
    }
}
