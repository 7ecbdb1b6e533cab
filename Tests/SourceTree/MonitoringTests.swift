@testable import Pool
@testable import Recorder
import Support
import Testing

/// The files for Prometheus and Grafana in `examples/monitoring`, and the manual, against the metrics of the programs.
@Suite("The files for monitoring")
struct MonitoringTests {
    private static let folder = SourceFile.root + "/examples/monitoring"
    private static let families =
        PoolMetrics.table.map { (name: $0.name, kind: $0.kind, labels: $0.labels) }
        + Recorder.metrics.map { (name: $0.name, kind: $0.kind, labels: $0.labels) }

    /// The names of the metrics, with the suffixes of histograms.
    private static let names = Set(
        families.flatMap { family in
            family.kind == .histogram
                ? ["_bucket", "_sum", "_count"].map { family.name + $0 } : [family.name]
        })

    @Test("have their metrics in the manual, which names no other")
    func manual() throws {
        let page = try ManualPage.text("retention-monitoring.7.md")
        for family in Self.families {
            let short = family.name.trimmingPrefix("retentiond_").trimmingPrefix("recorder_")
            let labels = family.labels.isEmpty ? "" : " {\(family.labels.joined(separator: ", "))}"
            #expect(page.contains("| `\(short)`\(labels) |"), "\(family.name)")
        }
        let pages = try page + ManualPage.text("retentiond-recorder.8.md")
        for match in pages.matches(of: /`(retentiond_[a-z_]+[a-z])`/) {
            let name = String(match.output.1)
            #expect(Self.names.contains(name) || Self.names.contains(name + "_count"), "\(name)")
        }
    }

    @Test("have alert rules that promtool accepts, and whose tests pass")
    func promtool() throws {
        for arguments in [
            ["check", "rules", "retentiond-alerts.yml"], ["test", "rules", "retentiond-alerts-test.yml"],
        ] {
            let run = try ProgramRun.run(
                "promtool", arguments.dropLast() + ["\(Self.folder)/\(arguments[2])"])
            #expect(run.status == 0, "\(run)")
        }
    }

    @Test(
        "ask only for exported metrics", arguments: ["retentiond-alerts.yml", "retentiond-dashboard.json"])
    func exported(file: String) throws {
        let text = String(decoding: try SourceFile.read("\(Self.folder)/\(file)"), as: UTF8.self)
        let expressions = text.split(separator: "\n").filter { !$0.contains(/^ *#/) }.joined(separator: "\n")
        let found = Set(expressions.matches(of: /\bretentiond_[a-z0-9_]+/).map { String($0.output) })
        #expect(found.count > 15)
        #expect(found.subtracting(Self.names).isEmpty)
    }
}
