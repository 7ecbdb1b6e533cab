import Support
import Testing

@testable import Recorder

@Suite("Durable notifications without their answer", .timeLimit(.minutes(5)))
struct SettledAnswerTests {
    /// A recorder that has committed eight notifications together and has answered only the first of them.
    private struct Committed {
        let bench: RecorderBench
        let clients: [FastCGIClient]

        init() throws {
            bench = try RecorderBench(#""deadlineMilliseconds": 60000"#) { $0.change { $0.isHeld = true } }
            let all = try bench.sendDuringCommit(upTo: 9)
            clients = Array(all.dropFirst())
            #expect(bench.process.recorder.waitingCount == 9)
            bench.keeper.change { $0.isHeld = false }
            try bench.turn { [bench] in
                bench.keeper.batches.count == 2 && bench.process.recorder.waitingCount < 8
            }
            #expect(try all[0].readReply().status == 200)
            #expect(silentCount == 7)
        }

        /// How many senders have no answer yet.
        var silentCount: Int { clients.count { $0.isSilent() } }

        func expectAnswers() throws {
            for client in clients { #expect(try client.readReply().status == 200) }
            #expect(bench.process.recorder.waitingCount == 0)
            #expect(bench.process.recorder.counters.total(.stored) == clients.count + 1)
            #expect(bench.process.recorder.counters.lateCommits == 0)
        }
    }

    @Test("get it one after the other, in the order in which they came")
    func order() throws {
        let committed = try Committed()
        for place in 1..<8 {
            try committed.bench.process.turn(timeoutMilliseconds: 0)
            #expect(committed.clients.map { $0.isSilent() } == (0..<8).map { $0 > place })
        }
        try committed.expectAnswers()
    }

    @Test(
        "get it with 200 and at once when a deadline is near, and when it has passed",
        arguments: [59_700, 61_000]
    )
    func deadline(milliseconds: UInt64) throws {
        let committed = try Committed()
        committed.bench.clock.advance(milliseconds: milliseconds)
        try committed.bench.process.turn(timeoutMilliseconds: 0)
        #expect(committed.silentCount == 0)
        try committed.expectAnswers()
    }

    @Test("get it with 200 when the recorder leaves, also when it has no time", arguments: [0, 10_000])
    func leaving(milliseconds: UInt64) throws {
        let committed = try Committed()
        committed.bench.process.leave(within: milliseconds, why: "TERM")
        #expect(committed.silentCount == 0)
        try committed.expectAnswers()
        let isDrained = try committed.bench.process.run()
        #expect(isDrained || milliseconds == 0)
    }

    @Test("get it at once when half of the requests that may wait do, so that new ones find room")
    func room() throws {
        let bench = try RecorderBench(#""waitingCount": 16"#) { $0.change { $0.isHeld = true } }
        let clients = try bench.sendDuringCommit(upTo: 9)
        bench.keeper.change { $0.isHeld = false }
        try bench.turn { bench.process.recorder.waitingCount < 8 }
        #expect(bench.process.recorder.waitingCount == 0)
        for client in clients { #expect(try client.readReply().status == 200) }
    }
}
