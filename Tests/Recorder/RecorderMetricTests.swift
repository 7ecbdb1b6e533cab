import Pool
@testable import Recorder
import Support
import Testing

@Suite("The metrics of the recorder")
struct RecorderMetricTests {
    @Test("have every name of the table, with its type, its help and its labels")
    func table() throws {
        let bench = try RecorderBench(#""forward": [{"url": "https://receiver.example/in"}]"#)
        #expect(try bench.reply(bench.body(1)).status == 200)
        let reply = try bench.reply([], to: "metrics", method: "GET")
        #expect(reply.header.contains("Content-Type: \(MetricText.contentType)"), "\(reply.header)")
        let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
        #expect(check.problems.isEmpty, "\(check.problems)")
        let families = Recorder.metrics.map(\.family)
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
}
