import JSON
import NotificationStore
import Pool
@testable import Recorder
@testable import SignedPayloads
import Support
import System
import Testing

@Suite("A reload of the recorder, and its pages")
struct RecorderReloadTests {
    private func verdict(_ bench: RecorderBench) throws -> String {
        String(decoding: try bench.folder.read("recorder.pid.reload.json"), as: UTF8.self)
    }

    @Test("applies a configuration that is accepted")
    func applied() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        try RecorderBench.write(#""deadlineMilliseconds": 100"#, in: bench.folder)
        bench.process.reload()
        bench.store.change { $0.isHeld = true }
        let client = try bench.send(bench.body(2))
        bench.clock.advance(milliseconds: 200)
        try bench.turn { !client.isSilent() }
        #expect(try client.readReply().status == 503)
        #expect(try verdict(bench).contains("\"loaded\""))
    }

    @Test(
        "refuses a configuration as a whole, says why, and goes on with the old one",
        arguments: [("{", "configuration.bad-json"), (#"{"apps": []}"#, "configuration.out-of-range")]
    )
    func refused(text: String, code: String) throws {
        let bench = try RecorderBench()
        try bench.folder.write(text, to: "retentiond.json")
        bench.process.reload()
        let verdict = try verdict(bench)
        #expect(verdict.contains("\"refused\""), "\(verdict)")
        #expect(bench.log.contains("reload refused"))
        #expect(try bench.reply(bench.body(1)).status == 200)
    }

    /// Turns the recorder until the metrics have this line.
    private func awaitMetric(_ line: String, _ bench: RecorderBench) throws {
        var page = ""
        let end = Clock.monotonicNanoseconds() + 60_000_000_000
        while !page.contains(line), Clock.monotonicNanoseconds() < end {
            page = String(decoding: try bench.reply([], to: "metrics", method: "GET").body, as: UTF8.self)
            Clock.sleep(milliseconds: 20)
        }
        #expect(page.contains(line), "\(page)")
    }

    @Test("says how long notifications wait to be passed on, without the secrets of URLs")
    func forwardLag() throws {
        let url = "https://receiver.example/in?key=hunter2"
        let name = try ForwardReceiver(url: url).name
        let metric = #"retentiond_recorder_forward_lag_seconds{destination="\#(name)"} "#
        let bench = try RecorderBench(#""forward": [{"url": "\#(url)", "types": ["REFUND"]}]"#) { store in
            store.change {
                $0.oldest[name] = TestPKI.now - 90_500
                $0.setAside[name] = 3
            }
        }
        try awaitMetric(metric + "90\n", bench)
        bench.clock.setWall(TestPKI.now + 60_000)
        try awaitMetric(metric + "150\n", bench)
        let status = String(decoding: try bench.reply([], to: "status", method: "GET").body, as: UTF8.self)
        #expect(status.contains("forward lag \(name): ") && !status.contains("hunter2"), "\(status)")
        #expect(status.contains("forward set aside \(name): 3\n"), "\(status)")
        #expect(status.contains("forward only \(name): types REFUND\n"), "\(status)")
        try awaitMetric(#"retentiond_recorder_forward_set_aside{destination="\#(name)"} 3\#n"#, bench)
        // What was measured last holds while the store fails.
        bench.store.change { state in
            state.oldestFailure = .replaced
            state.oldest = [:]
        }
        try awaitMetric(metric + "150\n", bench)
        bench.store.change { $0.oldestFailure = nil }
        try awaitMetric(metric + "0\n", bench)
        // A receiver that the configuration names no more has no metric.
        let other = "https://other.example/"
        try RecorderBench.write(#""forward": [{"url": "\#(other)"}]"#, in: bench.folder)
        bench.process.reload()
        let page = String(decoding: try bench.reply([], to: "metrics", method: "GET").body, as: UTF8.self)
        #expect(!page.contains("receiver.example"))
        bench.store.change {
            $0.oldest[(try? ForwardReceiver(url: other).name) ?? ""] = TestPKI.now + 59_000
        }
        try awaitMetric(#"lag_seconds{destination="other.example#"#, bench)
    }

    @Test("refuses a configuration without `notifications`")
    func absent() throws {
        let bench = try RecorderBench()
        let text = String(decoding: try bench.folder.read("retentiond.json"), as: UTF8.self)
        let start = try #require(text.ranges(of: ",\n \"notifications\"").first)
        try bench.folder.write(text[..<start.lowerBound] + "}", to: "retentiond.json")
        bench.process.reload()
        #expect(try verdict(bench).contains("recorder.not-configured"))
    }

    @Test("shows counters on the status page and in the metrics, and nothing of a subscriber")
    func pages() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try bench.reply(Array("{}".utf8)).status == 400)
        let text = String(decoding: try bench.reply([], to: "status", method: "GET").body, as: UTF8.self)
        #expect(text.contains("store state:") && text.contains("problem signed-payload-missing:"))
        // Times look as on the pool's page.
        let time = #/(start time|last notification): +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/#
        #expect(text.matches(of: time).count == 2, "\(text)")
        let json = try bench.reply([], to: "status", method: "GET", query: "json").body
        let root = try JSONDocument(parsing: json.span, limits: JSONLimits(byteCount: 1 << 16, depth: 4)).root
        #expect(root.member("stored")?.int64 == 1 && root.member("store state")?.string == "open")
        let metrics = try bench.reply([], to: "metrics", method: "GET")
        let page = String(decoding: metrics.body, as: UTF8.self)
        for line in [
            #"retentiond_recorder_notifications_total{type="SUBSCRIBED",outcome="stored"} 1"#,
            #"retentiond_recorder_problems_total{code="signed-payload-missing"} 1"#,
            "retentiond_recorder_batch_size_count 1", "retentiond_recorder_store_up 1",
            #"retentiond_recorder_batch_size_bucket{le="+Inf"} 1"#,
        ] {
            #expect(page.contains(line + "\n"), "\(page)")
        }
        for text in [text, page, bench.log] {
            #expect(!text.contains("2000000001") && !text.contains(RecorderBench.uuid(1)))
        }
    }

    @Test("has every metric of the table, with its type, its help and its labels")
    func table() throws {
        let bench = try RecorderBench(#""forward": [{"url": "https://receiver.example/in"}]"#)
        #expect(try bench.reply(bench.body(1)).status == 200)
        let reply = try bench.reply([], to: "metrics", method: "GET")
        #expect(reply.header.contains("Content-Type: \(MetricText.contentType)"), "\(reply.header)")
        let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
        #expect(check.problems.isEmpty, "\(check.problems)")
        let families = Recorder.metrics
        for found in check.families {
            let family = try #require(families.first { $0.name == found.name })
            #expect(found.help == family.help && found.type == family.kind.rawValue)
            for sample in found.samples {
                #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(family.labels), "\(sample)")
            }
        }
        // The bench has no file and no problems, perhaps no receiver has been measured yet, and one notification is too
        // few for a median.
        let absent: Set = [
            "retentiond_recorder_forward_lag_seconds", "retentiond_recorder_signed_date_offset_seconds",
        ]
        let names = Set(check.families.map(\.name))
        for family in families where !absent.contains(family.name) && !family.name.hasSuffix("_bytes") {
            #expect(names.contains(family.name), "\(family.name)")
        }
        #expect(check.value("retentiond_recorder_batch_size_count") == 1)
    }

    private func lines(_ bench: RecorderBench, _ name: String) -> String {
        String(decoding: (try? bench.folder.read(name)) ?? [], as: UTF8.self)
    }

    private func reloadLog(_ bench: RecorderBench, _ name: String) throws {
        try RecorderBench.write("", log: #""errorLog": "\#(bench.folder.path(of: name))""#, in: bench.folder)
        bench.process.reload()
    }

    @Test("applies an error log, and one that cannot be opened refuses the reload")
    func errorLog() throws {
        let bench = try RecorderBench()
        try reloadLog(bench, "error")
        #expect(lines(bench, "error").contains("message=reloaded sequence=1"))
        try reloadLog(bench, "nowhere/error")
        let refusal = "code=error-log-unwritable reason=\"\(bench.folder.path(of: "nowhere/error")): "
        #expect(lines(bench, "error").contains(refusal), "\(lines(bench, "error"))")
        #expect(try bench.reply(Array("{}".utf8)).status == 400)
        #expect(lines(bench, "error").contains("code=signed-payload-missing"))
        try RecorderBench.write("", in: bench.folder)
        bench.process.reload()
        #expect(bench.log.contains("message=reloaded sequence=3"))
        bench.process.reopenLog()
        #expect(bench.log.contains("there is no file to reopen"))
    }

    @Test("reopens the error log after a rotation; when that fails, the old file says so")
    func reopenedLog() throws {
        let bench = try RecorderBench()
        try bench.folder.makeDirectory("logs")
        try reloadLog(bench, "logs/error")
        try Directory.rename(bench.folder.path(of: "logs/error"), to: bench.folder.path(of: "logs/error.1"))
        bench.process.reopenLog()
        #expect(lines(bench, "logs/error").hasSuffix("message=\"logs reopened\"\n"))
        #expect(lines(bench, "logs/error.1").hasSuffix("message=reloaded sequence=1\n"))
        try Directory.rename(bench.folder.path(of: "logs"), to: bench.folder.path(of: "old"))
        bench.process.reopenLog()
        let text = lines(bench, "old/error")
        #expect(text.contains("message=\"logs not reopened\" code=error-log-unwritable"), "\(text)")
    }
}
