import AppStoreSimulator
import Configuration
import FastCGI
import NotificationStore
@testable import Recorder
import SQL
import Support
import Testing

@Suite("The recorder")
struct RecorderTests {
    @Test("answers 200 with an empty body only after the commit")
    func afterCommit() throws {
        let bench = try RecorderBench { $0.change { $0.isHeld = true } }
        let client = try bench.send(bench.body(1))
        try bench.turn { bench.store.startedCount == 1 }
        try bench.settle()
        #expect(client.isSilent() && bench.process.recorder.waitingCount == 1)
        bench.store.change { $0.isHeld = false }
        try bench.turn { !client.isSilent() }
        let reply = try client.readReply()
        #expect(reply.status == 200 && reply.body.isEmpty)
        #expect(bench.store.batches == [[RecorderBench.uuid(1)]])
        #expect(bench.process.recorder.waitingCount == 0)
        // The connection takes the next one, and the same notification again is acknowledged, too.
        try client.send(
            FastCGIRecords.request([("RETENTION_ENDPOINT", "notifications")], body: bench.body(1))
        )
        try bench.turn { !client.isSilent() }
        #expect(try client.readReply().status == 200)
        #expect(bench.process.recorder.counters.total(.stored) == 1)
        #expect(bench.process.recorder.counters.total(.alreadyThere) == 1)
    }

    @Test("commits together what one turn finds in the sockets")
    func turns() throws {
        let bench = try RecorderBench()
        // A turn accepts few new connections, so each client has one already.
        var clients: [FastCGIClient] = []
        for number in 1...8 as ClosedRange<UInt64> {
            clients.append(try bench.send(bench.body(number)))
            try bench.turn { !clients[clients.count - 1].isSilent() }
            #expect(try clients[clients.count - 1].readReply().status == 200)
        }
        #expect(bench.store.batches.map(\.count) == [Int](repeating: 1, count: 8))
        for (place, client) in clients.enumerated() {
            let body = try bench.body(11 + UInt64(place))
            try client.send(FastCGIRecords.request([("RETENTION_ENDPOINT", "notifications")], body: body))
        }
        try bench.turn { bench.process.recorder.waitingCount == 8 }
        try bench.turn { bench.process.recorder.waitingCount == 0 }
        #expect(bench.store.batches.count == 9)
        #expect(bench.store.batches.last.map(Set.init) == Set((11...18).map { RecorderBench.uuid($0) }))
        for client in clients { #expect(try client.readReply().status == 200) }
    }

    @Test("answers 503 at the deadline while the commit goes on, and counts what the commit did")
    func deadline() throws {
        let bench = try RecorderBench(#""deadlineMilliseconds": 60000"#) { $0.change { $0.isHeld = true } }
        let client = try bench.send(bench.body(1))
        try bench.turn { bench.store.startedCount == 1 }
        bench.clock.advance(milliseconds: 30_000)
        try bench.settle()
        #expect(client.isSilent())
        let second = try bench.send(bench.body(2))
        bench.clock.advance(milliseconds: 61_000)
        try bench.settle()
        for client in [client, second] {
            let reply = try client.readReply()
            #expect(reply.status == 503 && reply.hasCode("deadline-passed"))
        }
        // A repetition meanwhile waits for the same commit.
        bench.store.change { $0.isHeld = false }
        try bench.turn { bench.process.recorder.counters.lateCommits == 2 }
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(bench.process.recorder.counters.total(.alreadyThere) == 1)
    }

    @Test("answers 503 at once above the number or the bytes that may wait")
    func overload() throws {
        let bench = try RecorderBench(#""deadlineMilliseconds": 60000"#, waitingCount: 2) {
            $0.change { $0.isHeld = true }
        }
        let first = try bench.send(bench.body(1))
        let second = try bench.send(bench.body(2))
        let reply = try bench.reply(bench.body(3))
        #expect(reply.status == 503 && reply.hasCode("overloaded"))
        // What was answered with 503 still waits for its commit, so there is no room for others yet.
        bench.clock.advance(milliseconds: 61_000)
        try bench.settle()
        #expect(try first.readReply().status == 503 && second.readReply().status == 503)
        #expect(try bench.reply(bench.body(4)).hasCode("overloaded"))
        bench.store.change { $0.isHeld = false }
        try bench.turn { bench.process.recorder.counters.lateCommits == 2 }
        #expect(try bench.reply(bench.body(5)).status == 200)
    }

    @Test("starts without a store, answers 503, raises an alert once, and goes on when the store is there")
    func noStore() throws {
        let bench = try RecorderBench { $0.change { $0.openFailure = .noWriteAheadLog } }
        for number in 1...3 as ClosedRange<UInt64> {
            let reply = try bench.reply(bench.body(number))
            #expect(reply.status == 503 && reply.hasCode("store-unavailable"))
        }
        #expect(try bench.reply([], to: "ping", method: "GET").status == 503)
        #expect(bench.log.contains("store.no-write-ahead-log"))
        #expect(bench.log.ranges(of: "takes no notifications").count == 1)
        bench.store.change { $0.openFailure = nil }
        try bench.turn { bench.process.recorder.condition == .open }
        #expect(bench.store.openCount >= 2)
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try bench.reply([], to: "ping", method: "GET").body == Array("pong".utf8))
    }

    @Test("answers 503 while the store fails, and 200 again afterwards")
    func failingStore() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        bench.store.change { $0.failure = .replaced }
        #expect(try bench.reply(bench.body(2)).hasCode("store-unavailable"))
        #expect(bench.process.recorder.condition == .failing(.replaced))
        bench.store.change { $0.failure = nil }
        #expect(try bench.reply(bench.body(2)).status == 200)
        #expect(bench.process.recorder.condition == .open)
        // A fault of one notification says nothing about the store.
        bench.store.change { $0.failure = .tooLarge(byteCount: 1) }
        #expect(try bench.reply(bench.body(3)).hasCode("store-unavailable"))
        #expect(bench.process.recorder.condition == .open && bench.log.contains("store.too-large"))
        bench.store.change { $0.failure = .rowRefused(SQLError(.denied)) }
        #expect(try bench.reply(bench.body(4)).hasCode("store-unavailable"))
        #expect(bench.process.recorder.condition == .open && bench.log.contains("store.row-refused"))
        #expect(try bench.reply([], to: "ping", method: "GET").status == 200)
    }

    @Test("finds out without a notification that the store fails, and that it is over")
    func probing() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        bench.store.change { $0.failure = .replaced }
        try bench.turn { bench.process.recorder.condition == .failing(.replaced) }
        #expect(try bench.reply([], to: "ping", method: "GET").status == 503)
        bench.store.change { $0.failure = nil }
        try bench.turn { bench.process.recorder.condition == .open }
        #expect(try bench.reply([], to: "ping", method: "GET").body == Array("pong".utf8))
        // Only a write shows that a failure is over. Before one, a probe writes nothing.
        #expect(bench.store.probes.first == false && bench.store.probes.last == true)
        #expect(bench.store.batches.count == 1)
    }

    @Test("gives each body of the zoo its status and code", arguments: NotificationZoo.rows)
    func zoo(row: NotificationZooRow) throws {
        let bench = try RecorderBench()
        try bench.awaitStore()
        let body = try row.body(bench.forge)
        let reply = try bench.reply(body)
        // The verifier judges longer bodies, but the recorder does not take them.
        guard body.count <= ConfigurationLimits.notificationBodyBytes else {
            #expect(reply.status == 413 && reply.hasCode("body-too-large"))
            return
        }
        #expect(reply.status == row.status)
        if let code = row.code {
            #expect(reply.hasCode(code), "\(String(decoding: reply.body, as: UTF8.self))")
            #expect(bench.store.batches.isEmpty)
        } else {
            #expect(reply.body.isEmpty && bench.store.batches.count == 1)
        }
    }

    @Test(
        "refuses what is no request for it",
        arguments: [
            ("notifications", "GET", 405, "method-not-allowed"),
            ("retention-message", "POST", 404, "endpoint-unknown"),
            ("nonsense", "POST", 404, "endpoint-unknown"), ("status", "POST", 405, "method-not-allowed"),
            ("metrics", "POST", 405, "method-not-allowed"), ("ping", "POST", 405, "method-not-allowed"),
        ]
    )
    func requests(endpoint: String, method: String, status: Int, code: String) throws {
        let bench = try RecorderBench()
        let reply = try bench.reply([], to: endpoint, method: method)
        #expect(reply.status == status && reply.hasCode(code))
    }

    @Test("refuses a body above notificationBodyBytes, also after a reload that changes it")
    func bodyLimit() throws {
        let bench = try RecorderBench()
        for (limits, status) in [(#""notificationBodyBytes": 2000"#, 413), ("", 200)] {
            try RecorderBench.write("", limits: limits, in: bench.folder)
            bench.process.reload()
            #expect(try bench.reply(bench.body(1)).status == status)
        }
    }

    @Test("answers what waits before it leaves, and accepts nobody else")
    func draining() throws {
        let bench = try RecorderBench { $0.change { $0.isHeld = true } }
        let client = try bench.send(bench.body(1))
        try bench.turn { bench.store.startedCount == 1 }
        bench.process.leave(within: 60_000, why: "QUIT")
        try bench.settle()
        #expect(client.isSilent() && bench.process.server.connectionCount == 1)
        bench.store.change { $0.isHeld = false }
        try bench.turn { bench.process.server.connectionCount == 0 }
        #expect(try client.readReply().status == 200)
    }

    @Test("answers with 200 what is durable when it leaves, also when it has no time")
    func leaving() throws {
        let bench = try RecorderBench { $0.change { $0.isHeld = true } }
        let client = try bench.send(bench.body(1))
        try bench.turn { bench.store.startedCount == 1 }
        bench.store.change { $0.isHeld = false }
        #expect(Patience.wait(seconds: 60) { bench.process.recorder.mailbox.pendingCount == 0 })
        #expect(client.isSilent())
        bench.process.leave(within: 0, why: "TERM")
        #expect(try client.readReply().status == 200)
    }

    @Test(
        "logs the bundle identifier of an app or environment that is not configured, and no subscriber",
        arguments: [
            ("bundleId", #""com.example.other""#, "app-unknown", "bundleId com.example.other"),
            ("appAppleId", "531412", "app-unknown", "bundleId \(TestPayload.bundleId), appAppleId 531412"),
            ("appAppleId", nil, "app-unknown", "bundleId \(TestPayload.bundleId), no appAppleId"),
            ("environment", #""Staging""#, "environment-not-configured", "bundleId \(TestPayload.bundleId)"),
            ("environment", nil, "environment-not-configured", "bundleId \(TestPayload.bundleId)"),
        ] as [(String, String?, String, String)]
    )
    func bundle(member: String, json: String?, code: String, detail: String) throws {
        let bench = try RecorderBench()
        var payload = try bench.forge.notification("DID_RENEW", nil, number: 1)
        payload.object.set(member, json: json)
        let reply = try bench.reply(bench.forge.body(payload))
        #expect(reply.status == 403 && reply.hasCode(code))
        let line = try #require(bench.log.split(separator: "\n").first { $0.contains("code=\(code)") })
        #expect(line.contains("detail=\"\(detail)\""), "\(line)")
        #expect(!line.contains("\(bench.forge.subscription.originalTransactionId)"))
    }

    @Test("has Apple send a notification again of which only a part arrived")
    func incomplete() throws {
        let bench = try RecorderBench()
        let body = try bench.body(1)
        let client = try bench.send(body, parameters: [("CONTENT_LENGTH", "\(body.count + 1)")])
        try bench.turn { !client.isSilent() }
        let reply = try client.readReply()
        #expect(reply.status == 503 && reply.hasCode("body-incomplete"))
        #expect(bench.store.batches.isEmpty)
    }
}
