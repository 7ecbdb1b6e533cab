public import DataFiles
internal import Vocabulary

/// A decision with the steps that led to it, for display.
public struct Explanation: Sendable {
    public let request: DecisionRequest
    /// The facts about the subscriber that were known.
    public let facts: SubscriberFacts
    /// The decision, the same as ``decide(_:facts:using:)`` returns.
    public let decision: Decision
    let steps: [DecisionStep]
    let file: RulesFile

    public struct Line: Sendable, Hashable {
        /// The indentation: 0 for a step, 1 for a step of a rule, more for the parts of a condition.
        public let depth: Int
        /// The step, such as `kill switch`, `rule` or `window`.
        public let step: String
        /// The result of the step, as text.
        public let result: String
        /// The same result as single values, for programs.
        public let details: [Detail]

        init(_ depth: Int, _ step: String, _ result: String, _ details: [Detail] = []) {
            self.depth = depth
            self.step = step
            self.result = result
            self.details = details
        }
    }

    /// One named value of a step, for programs.
    public struct Detail: Sendable, Hashable {
        public enum Value: Sendable, Hashable {
            /// One value; nil when it is missing.
            case one(FactValue?)
            /// A list of texts, possibly empty.
            case texts([String])
        }

        /// The name of the value, such as `bucket`.
        public let name: String
        public let value: Value

        init(_ name: String, _ value: FactValue?) {
            self.name = name
            self.value = .one(value)
        }

        init(_ name: String, texts: [String]) {
            self.name = name
            value = .texts(texts)
        }

        init(_ name: String, _ text: String?) { self.init(name, text.map { .string($0) }) }
        init(_ name: String, _ number: Int?) { self.init(name, number.map { .integer(Int64($0)) }) }
        init(_ name: String, _ isTrue: Bool) { self.init(name, .boolean(isTrue)) }
    }

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
            case .rule(let index, _):
                rule = index
                lines.append(line(of: step, rule))
            default: lines.append(line(of: step, rule))
            }
        }
        return lines + [Line(0, "decision", outcome)]
    }

    /// The name and value of every declared fact, in the order of the declarations; the value is nil where the fact is
    /// missing.
    public var declaredFacts: [(name: String, value: FactValue?)] {
        file.declaredFacts.enumerated().map { index, fact in (fact.name, value(of: .declared(index))) }
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

    /// The steps in the order in which they are shown. The evaluation looks for the outcome of a held-out subscriber
    /// after the rules, because the rules run for the shadow. Here its steps follow directly after the draw of the
    /// holdout, where they belong.
    private var orderedSteps: [DecisionStep] {
        guard let mark = steps.firstIndex(of: .holdoutOutcome),
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        return Array(steps[...place]) + steps[(mark + 1)...] + steps[(place + 1)..<mark]
    }

    /// Returns the value that a fact had in the request; nil when the fact is missing.
    func value(of fact: Fact) -> FactValue? {
        switch fact {
        case .productId: return .string(request.productId)
        case .userLocale: return .string(request.userLocale)
        case .language: return .string(String(request.userLocale.prefix { $0 != "-" }))
        case .environment: return .string(request.environment.rawValue)
        case .originalTransactionId: return .string(request.originalTransactionId)
        case .now: return .date(request.nowMilliseconds)
        case .factsFound: return .boolean(facts.isFound)
        case .factsAgeSeconds: return facts.ageSeconds.map { .integer($0) }
        case .declared(let index):
            return file.kind(of: fact).flatMap { facts.value(ofFact: index, $0) }
        }
    }

    /// Returns the value that a fact had as text, a string without quotes; `missing` when the fact is missing.
    func text(of fact: Fact) -> String {
        switch value(of: fact) {
        case .string(let text)?: text
        case let value?: value.text
        case nil: "missing"
        }
    }
}

extension Fact {
    /// Returns the fact's name for display, or its number after `#` when the file has no name for it.
    func text(in file: RulesFile) -> String { file.name(of: self) ?? "#\(number)" }
}

extension FactValue {
    /// The value for display: a string in quotes, a date in RFC 3339.
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .date(let milliseconds):
            DataFileLimits.dateRange.contains(milliseconds)
                ? "\(CivilTime(milliseconds: milliseconds))" : "\(milliseconds) ms"
        case .integer(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        }
    }
}
