import JSON
@testable import Pool
@testable import Recorder
import Support
import System
import Testing

/// The files for Prometheus and Grafana in `examples/monitoring`, and the manual, against the metrics of the programs.
@Suite("The files for monitoring")
struct MonitoringTests {
    private static let folder = SourceFile.root + "/examples/monitoring"

    private static func text(_ name: String) throws -> String {
        String(decoding: try SourceFile.read("\(folder)/\(name)"), as: UTF8.self)
    }

    private static let families = PoolMetrics.table.map(\.family) + Recorder.metrics.map(\.family)

    /// The names of the metrics with the suffixes of histograms, and their labels.
    private static func metrics() -> [String: Set<String>] {
        var metrics: [String: Set<String>] = [:]
        for family in families {
            let (name, labels) = (family.name, Set(family.labels))
            guard family.kind == .histogram else {
                metrics[name] = labels
                continue
            }
            metrics[name + "_bucket"] = labels.union(["le"])
            metrics[name + "_sum"] = labels
            metrics[name + "_count"] = labels
        }
        // Prometheus itself makes this one for each target.
        metrics["up"] = []
        return metrics
    }

    /// What is wrong with an expression: a metric or a label that the programs do not export.
    private static func problems(_ expression: String, _ metrics: [String: Set<String>]) -> [String] {
        var labels: Set = ["job", "instance"]
        var problems: [String] = []
        let names = expression.matches(of: /\b(retentiond_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/)
        if names.isEmpty { problems.append("no metric in \(expression)") }
        for match in names {
            guard let own = metrics[String(match.output.1)] else {
                problems.append("no such metric: \(match.output.1)")
                continue
            }
            labels.formUnion(own)
            for matcher in (match.output.2 ?? "").matches(of: /([a-z_]+) *(?:=~|!~|!=|=)/)
            where !own.union(["job", "instance"]).contains(String(matcher.output.1)) {
                problems.append("\(match.output.1) has no label \(matcher.output.1)")
            }
        }
        for match in expression.matches(of: /\b(?:by|without) \(([a-z_, ]+)\)/) {
            for label in match.output.1.split(separator: ", ") where !labels.contains(String(label)) {
                problems.append("no metric of \(expression) has the label \(label)")
            }
        }
        return problems
    }

    @Test("have their metrics in the manual, which names no other")
    func manual() throws {
        let page = try ManualPage.text("retention-operations.7.md")
        for family in Self.families {
            let short = family.name.trimmingPrefix("retentiond_").trimmingPrefix("recorder_")
            let labels = family.labels.isEmpty ? "" : " {\(family.labels.joined(separator: ", "))}"
            #expect(page.contains("| `\(short)`\(labels) |"), "\(family.name)")
        }
        let pages = try page + ManualPage.text("retentiond-recorder.8.md")
        let metrics = Self.metrics()
        for match in pages.matches(of: /`(retentiond_[a-z_]+[a-z])`/) {
            let name = String(match.output.1)
            #expect(metrics[name] != nil || metrics[name + "_count"] != nil, "\(name)")
        }
    }

    // MARK: - Alerts

    /// One alert of the file.
    private struct Alert {
        var name: String
        var expression = ""
        var severity = ""
        var annotations: [String: String] = [:]
    }

    /// Reads the shipped file, in which every rule has the same form. promtool reads it as YAML.
    private static func alerts() throws -> [Alert] {
        var alerts: [Alert] = []
        var isExpression = false
        for line in try text("retentiond-alerts.yml").split(separator: "\n") {
            let words = line.drop { $0 == " " }
            let depth = line.count - words.count
            if words.hasPrefix("- alert: ") {
                alerts.append(Alert(name: String(words.dropFirst("- alert: ".count))))
            } else if let last = alerts.indices.last, !words.hasPrefix("#"), !words.hasPrefix("- ") {
                if isExpression, depth > 8 { alerts[last].expression += " " + words }
                isExpression = isExpression && depth > 8
                let parts = words.split(separator: ": ", maxSplits: 1).map(String.init)
                guard parts.count == 2, depth >= 8 else { continue }
                switch parts[0] {
                case "expr":
                    isExpression = parts[1] == "|-"
                    alerts[last].expression = isExpression ? "" : parts[1]
                case "severity": alerts[last].severity = parts[1]
                case "for": break
                default: alerts[last].annotations[parts[0]] = String(parts[1].dropFirst().dropLast())
                }
            }
        }
        return alerts
    }

    @Test("have alert rules that promtool accepts, and whose tests pass")
    func promtool() throws {
        let check = try ProgramRun.run(
            "promtool", ["check", "rules", Self.folder + "/retentiond-alerts.yml"])
        #expect(check.status == 0, "\(check)")
        let test = try ProgramRun.run(
            "promtool", ["test", "rules", Self.folder + "/retentiond-alerts-test.yml"])
        #expect(test.status == 0, "\(test)")
        let count = try Self.alerts().count
        #expect(check.output.contains("SUCCESS: \(count) rules found"), "\(check.output)")
    }

    @Test("have a test for each alert that fails without the alert")
    func everyAlert() throws {
        let rules = try Self.text("retentiond-alerts.yml")
        let tests = try Self.text("retentiond-alerts-test.yml")
        let folder = try TemporaryDirectory()
        try folder.write(tests, to: "retentiond-alerts-test.yml")
        for alert in try Self.alerts() {
            #expect(tests.contains("\n  - name: \(alert.name)\n"), "\(alert.name)")
            // With another name, an alert that fires is not the one that the test expects.
            let changed = rules.replacing("- alert: \(alert.name)\n", with: "- alert: Other\n")
            try folder.write(changed, to: "retentiond-alerts.yml")
            let run = try ProgramRun.run(
                "promtool", ["test", "rules", folder.path(of: "retentiond-alerts-test.yml")])
            #expect(run.status != 0, "\(alert.name)")
        }
    }

    @Test("have alerts of exported metrics, each with what to do")
    func alerts() throws {
        let metrics = Self.metrics()
        for alert in try Self.alerts() {
            #expect(Self.problems(alert.expression, metrics) == [], "\(alert.name)")
            #expect(["warning", "critical"].contains(alert.severity), "\(alert.name)")
            #expect(
                alert.annotations.keys.filter { $0 != "manual" }.sorted() == [
                    "action", "description", "summary",
                ])
        }
    }

    // MARK: - Dashboard

    @Test("have a dashboard of exported metrics, with every metric and every alert that needs a picture")
    func dashboard() throws {
        let metrics = Self.metrics()
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        let source = try SourceFile.read(Self.folder + "/retentiond-dashboard.json")
        let root = try JSONDocument(parsing: source.span, limits: limits).root
        let panels = (root.member("panels")?.elements ?? []).filter { $0.member("type")?.string != "row" }
        #expect(panels.count > 30)
        var shown = ""
        var titles: [String] = []
        for panel in panels {
            let title = panel.member("title")?.string ?? ""
            titles.append(title)
            let targets = panel.member("targets")?.elements ?? []
            #expect(!targets.isEmpty, "\(title)")
            for target in targets {
                let expression = target.member("expr")?.string ?? ""
                #expect(Self.problems(expression, metrics) == [], "\(title)")
                #expect(expression.contains("instance=~\"$instance\""), "\(title)")
                shown += expression
                // A legend may name only labels that the result of the expression has.
                for match in (target.member("legendFormat")?.string ?? "").matches(of: /\{\{([a-z_]+)\}\}/) {
                    let label = match.output.1
                    let isThere =
                        expression.contains(/\bby \([^)]*\)/)
                        ? expression.contains(try Regex("by \\([^)]*\\b\(label)\\b"))
                        : label == "instance" || Self.labels(of: expression, metrics).contains(String(label))
                    #expect(isThere, "\(title): \(label)")
                }
            }
        }
        #expect(Set(titles).count == titles.count)
        let hidden: Set = [
            "up", "retentiond_build_info", "retentiond_start_time_seconds",
            "retentiond_workers_started_total",
            "retentiond_last_reload_success_timestamp_seconds", "retentiond_recorder_build_info",
            "retentiond_recorder_start_time_seconds",
        ]
        for name in metrics.keys
        where !hidden.contains(name) && !name.hasSuffix("_sum") && !name.hasSuffix("_count") {
            let isShown = shown.contains(
                try Regex("\\b\(name.replacing("_bucket", with: ""))(_bucket|_sum|_count)?\\b")
            )
            #expect(isShown, "\(name)")
        }
    }

    private static func labels(of expression: String, _ metrics: [String: Set<String>]) -> Set<String> {
        expression.matches(of: /\bretentiond_[a-z0-9_]+/).reduce(into: []) { found, match in
            found.formUnion(metrics[String(match.output)] ?? [])
        }
    }
}
