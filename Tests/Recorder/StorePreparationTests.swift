import NotificationStore
@testable import Recorder
import Support
import Testing

@Suite("A recorder whose store needs time")
struct StorePreparationTests {
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
}
