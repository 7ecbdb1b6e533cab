internal import CommandLineTool
internal import JSON
internal import System

/// The result of a comparison, as text and as JSON.
struct DiffReport {
    let comparison: DecisionComparison
    let sample: Sample
    let path: String
    let nowMilliseconds: Int64
    /// The option that would supply the missing facts of the subscribers.
    let missingOption: String

    /// A warning when facts are unknown: the shares then differ from those of the service.
    var warnings: [Finding] {
        let (unknown, total) = (comparison.factsUnknownCount, comparison.requestCount)
        guard unknown > 0 else { return [] }
        return [
            Finding(
                code: "diff.facts-unknown",
                severity: .warning,
                "the rules read facts, which are not known for \(unknown) of \(total) requests: "
                    + "the counts and shares are not those of the service",
                hint: "give \(missingOption)",
                file: path
            )
        ]
    }

    /// The text: the counts, the changes of answers with examples, and a table of the rules.
    var lines: [String] {
        let (total, changed) = (comparison.requestCount, comparison.changedCount)
        var lines = [
            "\(path): \(total) \(total == 1 ? "request" : "requests"), "
                + "\(changed) \(changed == 1 ? "answer changes" : "answers change") (\(share(changed)))"
                + (warnings.isEmpty ? "" : ", MISLEADING: facts unknown for \(comparison.factsUnknownCount)")
        ]
        if comparison.sameAnswerCount > 0 {
            lines.append("\(comparison.sameAnswerCount) decided otherwise and answered alike")
        }
        if sample.otherAppCount > 0 {
            lines.append("\(sample.otherAppCount) of other apps and environments left out")
        }
        if sample.brokenLineCount > 0 {
            let noun = sample.brokenLineCount == 1 ? "line" : "lines"
            lines.append("\(sample.brokenLineCount) broken \(noun) of the log left out")
        }
        if comparison.pseudonymCount > 0 {
            lines.append("\(comparison.pseudonymCount) subscribers known by a pseudonym alone")
        }
        for group in comparison.changes {
            let (old, new) = (group.change.old, group.change.new)
            lines += ["", "\(group.count) (\(share(group.count)))", "  old  \(old.text)"]
            lines += old.assignedLines.map { "       \($0)" } + ["  new  \(new.text)"]
            lines += new.assignedLines.map { "       \($0)" }
            lines += group.examples.map { "    line \($0.line): \($0.text(atMilliseconds: nowMilliseconds))" }
        }
        return lines + [""] + table
    }

    /// The table with the number of requests that each rule decided.
    private var table: [String] {
        let rows =
            [["decided by", "old", "new"]]
            + comparison.rules.map { [$0.source.name, String($0.old), String($0.new)] }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            let counts = (1..<3).map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }
            return ([name] + counts).joined(separator: "  ")
        }
    }

    /// Returns the share of all requests in percent, with one decimal.
    private func share(_ count: Int) -> String {
        let thousandths = (count * 2000 + comparison.requestCount) / (2 * comparison.requestCount)
        return "\(thousandths / 10).\(thousandths % 10) %"
    }

    var json: JSONNode {
        .object([
            ("requests", JSONNode(comparison.requestCount)),
            ("changed", JSONNode(comparison.changedCount)),
            ("decidedOtherwise", JSONNode(comparison.sameAnswerCount)),
            ("otherApps", JSONNode(sample.otherAppCount)),
            ("brokenLines", JSONNode(sample.brokenLineCount)),
            ("pseudonyms", JSONNode(comparison.pseudonymCount)),
            ("factsUnknown", JSONNode(comparison.factsUnknownCount)),
            ("isMisleading", .boolean(!warnings.isEmpty)),
            ("warnings", .array(warnings.map(\.json))),
            ("changes", .array(comparison.changes.map(node))),
            (
                "rules",
                .array(
                    comparison.rules.map {
                        .object(
                            Self.members($0.source) + [
                                ("old", JSONNode($0.old)), ("new", JSONNode($0.new)),
                            ]
                        )
                    }
                )
            ),
        ])
    }

    /// Returns the members that name a source. `isRule` tells a rule with the id `default` from the default.
    private static func members(_ source: NamedDecision.Source) -> [(String, JSONNode)] {
        switch source {
        case .rule(let id): [("rule", .string(id)), ("isRule", .boolean(true))]
        case .reason: [("rule", .string(source.name)), ("isRule", .boolean(false))]
        }
    }

    private func node(_ group: DecisionComparison.Group) -> JSONNode {
        .object([
            ("count", JSONNode(group.count)), ("old", .object(group.change.old.members)),
            ("new", .object(group.change.new.members)), ("examples", .array(group.examples.map(node))),
        ])
    }

    private func node(_ request: SampleRequest) -> JSONNode {
        let subscriber: (String, JSONNode) =
            switch request.subscriber {
            case .originalTransactionId(let text): ("originalTransactionId", .string(text))
            case .pseudonym(let text): ("subscriber", .string(text))
            }
        let now = request.nowMilliseconds ?? nowMilliseconds
        return .object([
            ("line", JSONNode(request.line)), ("productId", .string(request.productId)),
            ("userLocale", .string(request.userLocale)), subscriber,
            ("now", .string(FactText.date(now))),
        ])
    }
}
