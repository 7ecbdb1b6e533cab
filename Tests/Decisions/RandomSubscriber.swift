import Facts
import Rules
import System

/// The facts about a subscriber, in the forms of the two evaluators.
struct RandomSubscriber {
    /// The values in the order of the declared facts; nil when there is no record.
    let values: [FactValue?]?
    /// The age of the facts file; nil when there is no facts file.
    let ageSeconds: Int64?
    /// The known values by the names of their facts.
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

    /// The facts in the form in which a command-line tool passes them.
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
