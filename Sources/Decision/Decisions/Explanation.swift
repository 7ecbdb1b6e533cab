internal import DataFiles
internal import Vocabulary

/// A decision with the steps that led to it, for people.
public struct Explanation: Sendable {
    /// What was asked.
    public let request: DecisionRequest
    /// What came out; the same as ``decide(_:using:)`` gives.
    public let decision: Decision
    package let steps: [DecisionStep]
    let file: RulesFile

    /// One line of an explanation.
    public struct Line: Sendable, Hashable {
        /// How far it is set in: 0 for a step, 1 for a step of a rule, more for parts of a condition.
        public let depth: Int
        /// The step: `kill switch`, `rule annual_upsell`, `window`.
        public let step: String
        /// What it came to.
        public let result: String
    }

    /// The steps in the order in which they were taken, and the outcome.
    public var lines: [Line] {
        var lines: [Line] = []
        // Children are evaluated before their group; for people the group comes first. So lines wait as trees, each
        // beginning with its root, until their group comes and takes those one deeper than itself.
        var trees: [[Line]] = []
        for step in steps {
            switch step {
            case .node(let index, let depth, let truth):
                let line = Line(depth: depth + 2, step: text(ofNode: index), result: result(index, truth))
                let childDepth = line.depth + 1
                let first = trees.lastIndex { $0.first?.depth != childDepth }.map { $0 + 1 } ?? 0
                let children = trees[first...].flatMap(\.self)
                trees.removeSubrange(first...)
                trees.append([line] + children)
            case .when(let truth):
                lines.append(Line(depth: 1, step: "when", result: truth?.rawValue ?? "always"))
                lines += trees.flatMap(\.self)
                trees = []
            default:
                lines.append(line(of: step))
            }
        }
        return lines + [Line(depth: 0, step: "decision", result: outcome)]
    }

    private func line(of step: DecisionStep) -> Line {
        switch step {
        case .killSwitch(let isOn): Line(depth: 0, step: "kill switch", result: isOn ? "on" : "off")
        case .app(let matches):
            Line(
                depth: 0,
                step: "app and environment",
                result: matches ? "\(request.appAppleId) \(request.environment.rawValue)" : "another file's"
            )
        case .rule(let index): Line(depth: 0, step: "rule", result: file.ruleID(at: index) ?? "\(index)")
        case .enabled(let isEnabled): Line(depth: 1, step: "enabled", result: isEnabled ? "yes" : "no")
        case .window(let isOpen): Line(depth: 1, step: "window", result: isOpen ? "open" : "closed")
        case .locale(let attempt): Line(depth: 1, step: "locale", result: text(of: attempt))
        case .defaultOutcome(let exists):
            Line(depth: 0, step: "default", result: exists ? "" : "there is none")
        case .node(let index, let depth, let truth):
            Line(depth: depth + 2, step: text(ofNode: index), result: truth.rawValue)
        case .when(let truth): Line(depth: 1, step: "when", result: truth?.rawValue ?? "always")
        }
    }

    private var outcome: String {
        switch decision.outcome {
        case .message(let identifier):
            let name = decision.messageName(in: file) ?? ""
            let locale = decision.localeUsed(in: file) ?? ""
            return "\(decision.reason.rawValue): message \(name) \(locale) \(identifier)"
        case .nothing: return "\(decision.reason.rawValue): nothing"
        }
    }

    private func text(of attempt: LocaleAttempt) -> String {
        let name = file.string(attempt.locale) ?? request.userLocale
        let origin =
            switch attempt.origin {
            case .subscriber: ""
            case .fallback: " (fallback)"
            case .last: " (last)"
            }
        return "\(name)\(origin): \(attempt.isFound ? "found" : "no message")"
    }

    private func text(ofNode index: Int) -> String {
        let reference = EntryReference(UInt32(truncatingIfNeeded: index))
        let condition = file.withBytes { Condition(reading: reference, depth: 0, file.tables, $0) }
        return condition.map(\.headline) ?? "damaged"
    }

    /// The value, and for a predicate what the fact was.
    private func result(_ index: Int, _ truth: Truth) -> String {
        let node = file.withBytes { file.tables.conditions.record(at: index, in: $0) }
        guard let node, let fact = Fact(rawValue: node.fact) else { return truth.rawValue }
        let value =
            switch fact {
            case .productId: request.productId
            case .userLocale: request.userLocale
            case .language: String(request.userLocale.prefix { $0 != "-" })
            case .environment: request.environment.rawValue
            case .originalTransactionId: request.originalTransactionId
            case .now: FactValue.date(request.nowMilliseconds).text
            }
        return "\(truth.rawValue) (\(fact.name) is \(value))"
    }
}
