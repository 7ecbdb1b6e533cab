import NotificationStore
import SQL
import Support
import Testing

@testable import Recorder

@Suite("A recorder whose store needs time, or fails at notifications alone")
struct StoreTrialTests {
    @Test("takes no notifications while a long log is made sure of, and stores later what came meanwhile")
    func preparing() throws {
        let bench = try RecorderBench(#""deadlineMilliseconds": 60000"#) {
            $0.change { $0.preparedLogByteCount = 1_073_741_824 }
        }
        let condition = StoreCondition.preparing(logByteCount: 1_073_741_824)
        try bench.turn { bench.process.recorder.condition == condition }
        #expect(bench.log.contains("log-bytes=1073741824"))
        let client = try bench.send(bench.body(1))
        let ping = try bench.reply([], to: "ping", method: "GET")
        #expect(ping.status == 503 && ping.hasCode("store-unavailable"))
        let status = try bench.reply([], to: "status", method: "GET", query: "json").body
        #expect(String(decoding: status, as: UTF8.self).contains(#""store state":"preparing""#))
        // One that the store takes in time is acknowledged; one that waits for too long is told why.
        #expect(client.isSilent())
        bench.clock.advance(milliseconds: 61_000)
        try bench.settle()
        let late = try client.readReply()
        #expect(late.status == 503 && late.hasCode("store-unavailable"))
        let second = try bench.send(bench.body(2))
        try bench.settle()
        bench.keeper.change { $0.preparedLogByteCount = nil }
        try bench.turn { !second.isSilent() }
        #expect(try second.readReply().status == 200)
        #expect(bench.keeper.batches.joined().sorted() == [RecorderBench.uuid(1), RecorderBench.uuid(2)])
        #expect(try bench.reply([], to: "ping", method: "GET").body == Array("pong".utf8))
        #expect(bench.process.recorder.counters.lateCommits == 1)
    }

    @Test("goes on failing while probes succeed and notifications fail, until a notification is stored again")
    func hidden() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        bench.keeper.change { state in
            state.failure = .database(SQLError(.corrupt))
            state.isHiddenFromProbes = true
        }
        #expect(try bench.reply(bench.body(2)).hasCode("store-unavailable"))
        let failing = StoreCondition.failing(.database(SQLError(.corrupt)))
        let started = bench.keeper.startedCount
        try bench.turn { bench.keeper.startedCount > started }
        try bench.settle()
        #expect(bench.process.recorder.condition == failing)
        #expect(try bench.reply([], to: "ping", method: "GET").status == 503)
        #expect(bench.log.ranges(of: "takes no notifications").count == 1)
        bench.keeper.change { $0.failure = nil }
        try bench.turn { bench.process.recorder.condition == .open }
        #expect(bench.keeper.batches == [[RecorderBench.uuid(1)], [RecorderBench.uuid(2)]])
    }

    @Test("takes notifications again after a minute, as those that failed may be the only ones")
    func onlyOnes() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        let item = try #require(bench.keeper.lastItem)
        let keeper = TestKeeper()
        let store = try keeper.opening()
        keeper.change { state in
            state.failure = .database(SQLError(.corrupt))
            state.isHiddenFromProbes = true
        }
        var trial = StoreTrial()
        let failing = StoreCondition.failing(.database(SQLError(.corrupt)))
        trial.note([item], failing)
        for _ in 0..<RefusedRows.lookCount { #expect(trial.condition(of: store) == failing) }
        #expect(trial.condition(of: store) == .open && !trial.isFailing)
        #expect(keeper.startedCount == RefusedRows.lookCount)
        // A refusal of single rows is no fault of the store.
        keeper.change { $0.failure = .database(SQLError(.constraint)) }
        trial.note([item], failing)
        #expect(trial.condition(of: store) == .open)
        #expect(keeper.probes.allSatisfy { $0 })
    }
}
