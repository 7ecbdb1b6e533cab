internal import CommandLineTool
internal import Effect
internal import JSON
internal import System

/// A report on a terminal: a sentence for each comparison, then the figures.
extension ReportWords {
    var lines: [String] {
        var lines = ["\(report.app) in \(report.environment) at \(CivilTime(milliseconds: report.now))"]
        if report.experiments.isEmpty { lines += ["", "No subscriber is in an experiment yet."] }
        for experiment in report.experiments {
            lines += [""] + experiment.comparisons.map { sentence($0, of: experiment) + "." }
        }
        for experiment in report.experiments {
            lines += ["", Self.name(experiment.experiment)]
            let arms = experiment.arms.map { arm in
                [
                    arm, Self.folded(experiment.units(arm)), Self.got(arm, of: experiment),
                ]
            }
            lines += TextTable.lines([["arm", "subscribers", "what they got"]] + arms, right: [1]).map {
                "  \($0)"
            }
            for comparison in experiment.comparisons {
                let rows = [["outcome", comparison.arm, experiment.arms[0], "difference", "interval"]]
                let table = rows + comparison.outcomes.map(Self.row)
                if table.count > 1 { lines += [""] + TextTable.lines(table).map { "  \($0)" } }
            }
        }
        return lines + ["", "data"] + TextTable.lines(data).map { "  \($0)" }
    }

    static func row(_ estimate: Estimate) -> [String] {
        let numbers = numbers(estimate)
        let few = "fewer than \(EffectReport.foldedUnits)"
        let row = [
            name(estimate.key), estimate.isFolded(estimate.treated) ? few : numbers.treated,
            estimate.isFolded(estimate.control) ? few : numbers.control,
        ]
        return row + (estimate.isFolded ? ["-", "-"] : [numbers.difference, numbers.interval])
    }

    /// How far the data can be relied on, as names and values.
    var data: [[String]] {
        let quality = report.quality
        func time(_ time: Int64?) -> String { time.map { "\(CivilTime(milliseconds: $0))" } ?? "-" }
        let all = quality.decisions + quality.missingDecisions
        let share = Double(quality.missingDecisions) / Double(max(1, all))
        return [
            ["decisions", NumberText.count(quality.decisions)],
            [
                "missing decisions",
                "\(NumberText.count(quality.missingDecisions)) (\(NumberText.percent(share, 2)))",
            ],
            ["decisions until", time(quality.decisionsUntil)],
            ["notifications complete until", time(quality.notificationsUntil)],
            ["times not recovered since then", NumberText.count(quality.notificationGaps)],
            ["subscribers known to the store", NumberText.count(quality.knownUnits)],
            ["subscribers not known to it", NumberText.count(quality.unknownUnits)],
            ["workers with another key", NumberText.count(quality.otherKeyInstances)],
        ]
    }
}

enum TextTable {
    /// Columns with two spaces between them; those in `right` end at the same place.
    static func lines(_ rows: [[String]], right: Set<Int> = []) -> [String] {
        var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
        // The last cell of a row may be longer than its column.
        for row in rows {
            for (column, cell) in row.dropLast().enumerated() {
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
                if right.contains(column) { return space + cell }
                return column == row.count - 1 ? cell : cell + space
            }.joined(separator: "  ")
        }
    }
}

// MARK: JSON

extension ReportWords {
    var json: JSONNode {
        .object([
            ("app", .string(report.app)), ("environment", .string(report.environment)),
            ("now", .string(CivilTime(milliseconds: report.now).exactDescription)),
            ("outcome", .string(report.options.outcome.rawValue)),
            ("expectedUnits", JSONNode(report.options.expectedUnits)),
            ("experiments", .array(report.experiments.map(node))),
            ("quality", EffectSumsLines.node(report.quality)),
        ])
    }

    private func node(_ experiment: ExperimentReport) -> JSONNode {
        let sums = experiment.sums
        let present = sums.decisions.reduce(0) { $0 + $1.present }
        let missing = sums.decisions.reduce(0) { $0 + $1.missing }
        let problems: [JSONNode] = experiment.problems.map { problem in
            .object([("code", .string(problem.code)), ("message", .string(Self.text(problem)))])
        }
        let arms: [JSONNode] = experiment.arms.map { arm($0, of: experiment) }
        let comparisons: [JSONNode] = experiment.comparisons.map { node($0, of: experiment) }
        let members: [(String, JSONNode)] = [
            ("kind", .string(experiment.experiment.kind.rawValue)),
            ("rule", JSONNode(experiment.experiment.rule)),
            ("salt", .string(experiment.experiment.salt)),
            ("arms", .array(arms)), ("epochs", JSONNode(sums.epochs.count)),
            ("problems", .array(problems)), ("comparisons", .array(comparisons)),
            ("sampleRatioEvidence", .real(experiment.sampleRatio)),
            ("decisions", .object([("present", JSONNode(present)), ("missing", JSONNode(missing))])),
            ("checkedUnits", JSONNode(sums.checkedUnits)),
            ("differentUnits", JSONNode(sums.differentUnits)),
        ]
        return .object(members)
    }

    private func arm(_ name: String, of experiment: ExperimentReport) -> JSONNode {
        let units = experiment.units(name)
        let isShown = units == 0 || units >= EffectReport.foldedUnits
        let answers = Self.answers(name, of: experiment).map { ($0.kind, JSONNode($0.count)) }
        return .object([
            ("arm", .string(name)), ("units", isShown ? JSONNode(units) : .null),
            ("answers", .object(answers)),
        ])
    }

    private func node(_ comparison: Comparison, of experiment: ExperimentReport) -> JSONNode {
        let more: JSONNode =
            comparison.more.map { more in
                .object([
                    ("units", JSONNode(more.units)), ("days", more.days.map { JSONNode($0) } ?? .null),
                ])
            } ?? .null
        return .object([
            ("arm", .string(comparison.arm)), ("control", .string(experiment.arms[0])),
            ("verdict", .string(comparison.verdict.rawValue)),
            ("sentence", .string(sentence(comparison, of: experiment))),
            ("more", more), ("outcomes", .array(comparison.outcomes.map(Self.node))),
        ])
    }

    private static func node(_ estimate: Estimate) -> JSONNode {
        func side(_ side: Estimate.Side) -> JSONNode {
            let mean: JSONNode = estimate.isFolded(side) ? .null : .real(side.mean)
            return .object([("units", JSONNode(side.units)), ("mean", mean)])
        }
        func pair(_ interval: Interval) -> JSONNode { .array([.real(interval.low), .real(interval.high)]) }
        var members: [(String, JSONNode)] = [
            ("outcome", .string(estimate.key.outcome.rawValue)),
            ("currency", JSONNode(estimate.key.currency)),
            ("control", side(estimate.control)), ("treated", side(estimate.treated)),
        ]
        guard !estimate.isFolded else { return .object(members) }
        members.append(("difference", .real(estimate.difference.estimate)))
        members.append(("standardError", .real(estimate.difference.standardError)))
        members.append(("interval", pair(estimate.interval)))
        members.append(("fixedInterval", pair(estimate.fixed)))
        members.append(("p", .real(estimate.p)))
        if let saved = estimate.saved {
            members.append(
                ("saved", .object([("subscribers", .real(saved.count)), ("interval", pair(saved.interval))])))
        }
        return .object(members)
    }
}
