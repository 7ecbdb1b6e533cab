public import DataFiles
internal import Vocabulary

/// A decision with the steps that led to it, for display.
public struct Explanation: Sendable {
    /// The request that was decided.
    public let request: DecisionRequest
    /// The facts about the subscriber that were known.
    public let facts: SubscriberFacts
    /// The decision, the same as ``decide(_:facts:using:)`` returns.
    public let decision: Decision
    package let steps: [DecisionStep]
    let file: RulesFile

    public struct Line: Sendable, Hashable {
        /// The indentation: 0 for a step, 1 for a step of a rule, more for the parts of a condition.
        public let depth: Int
        /// The step, such as `kill switch`, `rule` or `window`.
        public let step: String
        /// The result of the step, as text.
        public let result: String
        /// The same result as single values, for programs.
        public var details: [Detail] = []
    }

    var reader: FactReader { FactReader(request: request, facts: facts, file: file) }

    /// One line for each step, in the order of evaluation, and a last line for the outcome.
    public var lines: [Line] {
        var lines: [Line] = []
        var conditions = ConditionLines(file: file)
        var rule = 0
        for step in orderedSteps {
            switch step {
            case .node(let index, let truth): conditions.truths[index] = truth
            case .when(let truth):
                lines.append(line(ofWhen: truth, rule, conditions.truths))
                lines += conditions.lines(ofRule: rule, depth: 2) { line(of: $0, $1, depth: $2) }
            default:
                if case .rule(let index, _) = step { rule = index }
                var line = line(of: step, rule)
                line.details = details(of: step, rule)
                lines.append(line)
            }
        }
        return lines + [Line(depth: 0, step: "decision", result: outcome)]
    }

    private func line(of step: DecisionStep, _ rule: Int) -> Line {
        switch step {
        case .killSwitch(let isOn): Line(depth: 0, step: "kill switch", result: isOn ? "on" : "off")
        case .app(let matches):
            Line(
                depth: 0, step: "app and environment",
                result: matches ? "\(request.appAppleId) \(request.environment.rawValue)" : "another file's")
        case .holdout(let draw): Line(depth: 0, step: "holdout", result: draw.map(text(of:)) ?? "over")
        case .rule(let index, let isCandidate):
            Line(
                depth: 0,
                step: "rule",
                result: (file.ruleID(at: index) ?? "\(index)")
                    + (isCandidate ? "" : " (not for this product)")
            )
        case .enabled(let isEnabled): Line(depth: 1, step: "enabled", result: isEnabled ? "yes" : "no")
        case .window(let isOpen):
            Line(depth: 1, step: "window", result: (isOpen ? "open" : "closed") + window(ofRule: rule))
        case .rollout(let draw): Line(depth: 1, step: "rollout", result: text(of: draw))
        case .arm(let draw, let index):
            Line(depth: 1, step: "arm", result: text(ofArm: index, draw, rule))
        case .caps(let caps): Line(depth: 1, step: "caps", result: text(of: caps))
        case .approval(let passes, let masked, let isFinal):
            Line(
                depth: 1,
                step: "approval",
                result: passes
                    ? "yes"
                    : "no: \(file.string(masked) ?? "")" + (isFinal ? " (whenUnapproved is pass)" : "")
            )
        case .locale(let attempt): Line(depth: 1, step: "locale", result: text(of: attempt))
        case .signing(let kind, let isPossible):
            Line(depth: 1, step: "signing", result: isPossible ? "\(kind.name)" : "\(kind.name): impossible")
        case .defaultOutcome(let exists):
            Line(depth: 0, step: "default", result: exists ? "" : "there is none")
        case .node, .when, .holdoutOutcome: Line(depth: 1, step: "when", result: "")
        }
    }

    private var outcome: String {
        switch decision.outcome {
        case .serve(let content, let identifier):
            let name = decision.messageName(in: file) ?? ""
            let locale = decision.localeUsed(in: file) ?? ""
            return "\(decision.reason.rawValue): \(content.kind.name) \(name) \(locale) \(identifier)"
        case .nothing: return "\(decision.reason.rawValue): nothing"
        }
    }

    /// Returns the line of a condition's node: its truth, and for a predicate the value of the fact.
    private func line(of node: Condition?, _ truth: Truth, depth: Int) -> Line {
        var result = truth.rawValue
        if let fact = node?.fact {
            result += " (\(fact.text(in: file)) is \(reader.text(of: fact)))"
        }
        return Line(
            depth: depth, step: node?.headline(in: file) ?? "damaged", result: result,
            details: details(of: node, truth))
    }

    /// Returns the line of a rule's condition: its truth, and the missing facts that made it unknown.
    private func line(ofWhen truth: Truth?, _ rule: Int, _ truths: [Int: Truth]) -> Line {
        let missing = truth == .unknown ? missingFacts(ofRule: rule, truths).map { $0.text(in: file) } : []
        let words = missing.isEmpty ? "" : " (\(missing.joined(separator: ", ")) missing)"
        return Line(
            depth: 1,
            step: "when",
            result: truth.map { $0.rawValue + words } ?? "always",
            details: [
                Detail("passes", truth == nil || truth == .true), Detail("truth", truth?.rawValue),
                Detail("missing", texts: missing),
            ]
        )
    }

    /// The steps in the order in which they are shown. The evaluation looks for the outcome of a held-out subscriber
    /// after the rules, because the rules run for the shadow. Here its steps follow directly after the draw of the
    /// holdout, where they belong.
    var orderedSteps: [DecisionStep] {
        guard let mark = steps.firstIndex(of: .holdoutOutcome),
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        return Array(steps[...place]) + steps[(mark + 1)...] + steps[(place + 1)..<mark]
    }

    /// The name and value of every declared fact, in the order of the declarations; the value is nil where the fact is
    /// missing.
    public var declaredFacts: [(name: String, value: FactValue?)] {
        let reader = reader
        return file.declaredFacts.enumerated().map { index, fact in
            (fact.name, reader.value(of: .declared(index)))
        }
    }

    /// Returns the facts whose absence made a rule's condition unknown, in the order of the condition: the facts of
    /// predicates that are unknown and stand only below nodes that are unknown, too. `truths` has the truth of each
    /// node that was evaluated so far; a node that was not evaluated decided nothing.
    func missingFacts(ofRule rule: Int, _ truths: [Int: Truth]) -> [Fact] {
        let tables = file.tables
        return file.withBytes { bytes in
            guard let root = tables.rules.record(at: rule, in: bytes)?.condition else { return [] }
            var missing: [Fact] = []
            // Two segments may refer to the same segment, so each node is visited once.
            var seen: Set<Int> = []
            var waiting = [root.index]
            while let index = waiting.popLast() {
                guard truths[index] == .unknown, seen.insert(index).inserted,
                    let node = tables.conditions.record(at: index, in: bytes),
                    let operation = ConditionOperation(rawValue: node.operation)
                else { continue }
                guard operation.isPredicate else {
                    waiting += node.children(in: tables, bytes).reversed()
                    continue
                }
                if let fact = Fact(number: node.fact), !missing.contains(fact), reader.value(of: fact) == nil
                {
                    missing.append(fact)
                }
            }
            return missing
        }
    }
}
