internal import Catalogue
internal import CommandLineTool
internal import Effect
internal import JSON
internal import System

/// A report on a terminal: a sentence for each comparison, then the figures.
extension ReportWords {
    var lines: [String] {
        var lines = ["\(report.app) in \(report.environment) at \(CivilTime(milliseconds: report.now))"]
        if report.experiments.isEmpty { lines += ["", nobody] }
        for experiment in report.experiments {
            lines += [""] + experiment.comparisons.map { sentence($0, of: experiment) + "." }
        }
        for experiment in report.experiments {
            lines += ["", Self.name(experiment.experiment)]
            let arms = experiment.arms.map { arm in
                [arm, Self.folded(experiment.units(arm)), Self.got(arm, of: experiment)]
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
            ["decisions, of all apps", NumberText.count(quality.decisions)],
            [
                "missing decisions",
                "\(NumberText.count(quality.missingDecisions)) (\(NumberText.percent(share, 2)))",
            ],
            ["decisions until", time(quality.decisionsUntil)],
            ["notifications complete until", time(quality.notificationsUntil)],
            ["times not recovered", NumberText.count(quality.notificationGaps)],
            ["subscribers known to the store", NumberText.count(quality.knownUnits)],
            ["subscribers not known to it", NumberText.count(quality.unknownUnits)],
            ["workers with another key", NumberText.count(quality.otherKeyInstances)],
        ]
    }
}

// MARK: JSON

extension ReportWords {
    var json: JSONNode {
        [
            "app": .string(report.app), "environment": .string(report.environment), "now": .time(report.now),
            "outcome": .string(report.options.outcome.rawValue),
            "expectedUnits": JSONNode(report.options.expectedUnits),
            "experiments": .array(report.experiments.map(node)),
            "quality": EffectSumsLines.node(report.quality),
        ]
    }

    private func node(_ experiment: ExperimentReport) -> JSONNode {
        let sums = experiment.sums
        let problems = experiment.problems.map { problem -> JSONNode in
            ["code": .string(problem.code), "message": .string(Self.text(problem))]
        }
        return [
            "kind": .string(sums.experiment.kind.rawValue), "rule": JSONNode(sums.experiment.rule),
            "salt": .string(sums.experiment.salt),
            "arms": .array(experiment.arms.map { arm($0, of: experiment) }),
            "epochs": JSONNode(sums.epochs.count), "problems": .array(problems),
            "comparisons": .array(experiment.comparisons.map { node($0, of: experiment) }),
        ]
    }

    private func arm(_ name: String, of experiment: ExperimentReport) -> JSONNode {
        let units = experiment.units(name)
        let isShown = units == 0 || units >= EffectReport.foldedUnits
        let answers = Self.answers(name, of: experiment).map { ($0.kind, JSONNode($0.count)) }
        return ["arm": .string(name), "units": JSONNode(isShown ? units : nil), "answers": .object(answers)]
    }

    private func node(_ comparison: Comparison, of experiment: ExperimentReport) -> JSONNode {
        let more = comparison.more.map {
            ["units": JSONNode($0.units), "days": JSONNode($0.days)] as JSONNode
        }
        return [
            "arm": .string(comparison.arm), "control": .string(experiment.arms[0]),
            "verdict": .string(comparison.verdict.rawValue),
            "sentence": .string(sentence(comparison, of: experiment)), "more": more ?? .null,
            "outcomes": .array(comparison.outcomes.map { Self.node($0, in: comparison) }),
        ]
    }

    private static func node(_ estimate: Estimate, in comparison: Comparison) -> JSONNode {
        let isShown = !estimate.isFolded
        func number(_ value: Double) -> JSONNode { isShown ? .real(value) : .null }
        func pair(_ interval: Interval) -> JSONNode {
            isShown ? .array([.real(interval.low), .real(interval.high)]) : .null
        }
        func side(_ side: Estimate.Side) -> JSONNode {
            ["units": JSONNode(side.units), "mean": estimate.isFolded(side) ? .null : .real(side.mean)]
        }
        let saved = comparison.saved(estimate).map {
            ["subscribers": .real($0.count), "interval": pair($0.interval)] as JSONNode
        }
        return [
            "outcome": .string(estimate.key.outcome.rawValue), "currency": JSONNode(estimate.key.currency),
            "control": side(estimate.control), "treated": side(estimate.treated),
            "difference": number(estimate.difference.estimate),
            "standardError": number(estimate.difference.standardError), "interval": pair(estimate.interval),
            "fixedInterval": pair(estimate.fixed), "saved": saved ?? .null,
        ]
    }
}
