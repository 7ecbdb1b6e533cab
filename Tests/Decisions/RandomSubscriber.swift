import DataFiles
import Decisions
import System
import Vocabulary

/// What is known of a subscriber, for either evaluator.
struct RandomSubscriber {
    /// By declared fact; nil when there is no record.
    let values: [FactValue?]?
    /// Nil when there is no facts file either.
    let ageSeconds: Int64?
    /// By name.
    let declared: [String: ReferenceValue]?

    init(values: [FactValue?]?, ageSeconds: Int64?) {
        self.values = values
        self.ageSeconds = ageSeconds
        declared = values.map { values in
            let known = zip(RandomRules.facts, values).compactMap { fact, value in
                value.map { (fact.name, ReferenceValue($0)) }
            }
            return Dictionary(known, uniquingKeysWith: { first, _ in first })
        }
    }

    /// As a tool would say it.
    var literal: SubscriberFacts {
        values.map { .literal($0, ageSeconds: ageSeconds) } ?? .none(ageSeconds: ageSeconds)
    }
}

extension ReferenceValue {
    init(_ value: FactValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .date(let number), .integer(let number): self = .number(number)
        }
    }
}
