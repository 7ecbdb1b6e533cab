import AppStoreSimulator
import Cryptography
import Pool
@testable import Recorder
import Support
import Testing

@Suite("The watch of the recorder")
struct RecorderWatchTests {
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
}
