import JSON
import Support
import System
import Testing

/// The files for Prometheus and Grafana in `examples/monitoring`, against the metrics in the manual. The suites of the metrics
/// hold that list against the code.
@Suite("The files for monitoring")
struct MonitoringTests {
    private static let folder = SourceFile.root + "/examples/monitoring"

    private static func text(_ name: String) throws -> String {
        String(decoding: try SourceFile.read("\(folder)/\(name)"), as: UTF8.self)
    }

    /// The metrics in the manual: their names with the suffixes of histograms, and their labels.
    private static func metrics() throws -> [String: Set<String>] {
        let page = try ManualPage.text("retention-operations.7.md")
        var metrics: [String: Set<String>] = [:]
        let entry = /\n`(retentiond_[a-z_]+)`(?: \{([a-z, ]+)\})?\n:   [^\n]*\(([a-z]+)\)\n/
        for match in page.matches(of: entry) {
            let labels = Set((match.output.2 ?? "").split(separator: ", ").map(String.init))
            let name = String(match.output.1)
            guard match.output.3 == "histogram" else {
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

    @Test("notice an expression with a metric or a label that is not exported")
    func negative() throws {
        let metrics = try Self.metrics()
        #expect(metrics.count > 50)
        for (expression, isGood) in [
            ("retentiond_rules_loaded == 0", true), ("retentiond_rules_laoded == 0", false),
            ("vector(1)", false),
            ("sum by (outcome) (rate(retentiond_requests_total{code!=\"x\"}[5m]))", true),
            ("sum by (outcom) (rate(retentiond_requests_total[5m]))", false),
            ("retentiond_requests_total{cause=\"x\"}", false), ("retentiond_request_duration_seconds", false),
            ("sum by (le) (retentiond_request_duration_seconds_bucket)", true),
            ("sum by (phase) (retentiond_request_duration_seconds_bucket)", false),
        ] {
            #expect(Self.problems(expression, metrics).isEmpty == isGood, "\(expression)")
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

    @Test("have alerts of exported metrics, each with what to do and its entry in the manual")
    func alerts() throws {
        let metrics = try Self.metrics()
        let alerts = try Self.alerts()
        let page = try ManualPage.text("retention-operations.7.md")
        let section = try ProgramPageTests.section("ALERTS", of: page)
        let entries = section.matches(of: #/\n`(Retentiond[A-Za-z]+)`[^\n]*\n:   /#).map {
            String($0.output.1)
        }
        #expect(Set(entries) == Set(alerts.map(\.name)) && entries.count == alerts.count)
        for alert in alerts {
            #expect(Self.problems(alert.expression, metrics) == [], "\(alert.name)")
            #expect(["warning", "critical"].contains(alert.severity), "\(alert.name)")
            #expect(Set(alert.annotations.keys) == ["summary", "description", "action", "manual"])
            let manual = alert.annotations["manual"] ?? ""
            let place = try #require(manual.wholeMatch(of: /man:([a-z-]+)\((\d)\)#(.+)/), "\(manual)")
            let named = try ManualPage.text("\(place.output.1).\(place.output.2).md")
            #expect(named.contains("\n# \(place.output.3)\n"), "\(manual)")
            let texts = ["summary", "description", "action"].compactMap { alert.annotations[$0] }
            #expect(texts.allSatisfy { $0.hasSuffix(".") && $0.first?.isLowercase != nil }, "\(alert.name)")
        }
    }

    @Test("name the page that says what to do about a failing store, and an expired certificate of nginx")
    func failures() throws {
        let alerts = Dictionary(uniqueKeysWithValues: try Self.alerts().map { ($0.name, $0.annotations) })
        let manual = alerts["RetentiondStoreFailing"]?["manual"]
        #expect(manual == "man:retentiond-recorder(8)#WHAT TO DO AT A 503")
        // Prometheus scrapes over TLS, so these fire.
        for (name, what) in [("RetentiondDown", "request"), ("RetentiondRecorderDown", "notification")] {
            let description = alerts[name]?["description"] ?? ""
            let text = "If the TLS certificate of nginx has expired, no \(what)"
            #expect(description.contains(text), "\(name)")
            #expect(alerts[name]?["action"]?.contains("renew it") == true, "\(name)")
        }
    }

    // MARK: - Dashboard

    @Test("have a dashboard of exported metrics, with every metric and every alert that needs a picture")
    func dashboard() throws {
        let metrics = try Self.metrics()
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
            // Always 0 in this version.
            "retentiond_revocation_state",
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
