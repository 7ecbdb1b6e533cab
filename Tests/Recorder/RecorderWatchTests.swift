import AppStoreSimulator
import Cryptography
import Pool
@testable import Recorder
import Support
import Testing

@Suite("The watch of the recorder")
struct RecorderWatchTests {
    private static let day: UInt64 = 86_400_000

    @Test("knows the anchors at once, and the certificates of stored notifications")
    func pages() throws {
        let bench = try RecorderBench()
        func positions() throws -> [String] {
            let reply = try bench.reply([], to: "metrics", method: "GET")
            let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
            return check.samples("retentiond_recorder_certificate_not_after_timestamp_seconds")
                .compactMap { $0.labels["position"] }
        }
        #expect(try positions() == ["anchor"])
        #expect(try bench.reply(Array("{}".utf8)).status == 400)
        #expect(try positions() == ["anchor"])
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try positions() == ["leaf", "intermediate", "anchor"])
        let status = try bench.reply([], to: "status", method: "GET")
        #expect(String(decoding: status.body, as: UTF8.self).contains("leaf ends:"))
    }

    @Test("warns of certificates that end soon, once a day, also when nothing comes")
    func warnings() throws {
        let bench = try RecorderBench()
        func warnings() throws -> Int {
            bench.clock.advance(milliseconds: 2_000)
            try bench.settle()
            return bench.log.split(separator: "\n").count { $0.contains("code=certificate-ends-soon") }
        }
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try warnings() == 0)
        // The anchor, the leaf and the intermediate end together.
        let ends = bench.process.recorder.certificateEnds
        let end = try #require(ends[.leaf])
        #expect(Set(ends.values).count == 1 && ends.count == 3)
        bench.clock.setWall(end - 30 * Int64(Self.day))
        #expect(try warnings() == 3)
        bench.clock.setWall(end - 29 * Int64(Self.day) - 1)
        #expect(try warnings() == 3)
        bench.clock.setWall(end - 29 * Int64(Self.day))
        #expect(try warnings() == 6)
        #expect(bench.log.contains("position=leaf") && bench.log.contains("position=anchor"))
    }
}
