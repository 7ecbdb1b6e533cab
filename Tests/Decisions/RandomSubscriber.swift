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

/// The same subscribers in a facts file, whose columns stand in another order.
struct RandomFactsFile {
    private let file: FactsFile
    private let binding: FactsBinding

    init(_ subscribers: [RandomSubscriber], rules: RulesFile) throws {
        let columns = RandomRules.facts.reversed().map { FactsBuilder.Column(name: $0.name, kind: $0.kind) }
        var builder = FactsBuilder(columns: columns)
        for (number, subscriber) in subscribers.enumerated() {
            guard let values = subscriber.values else { continue }
            for (column, value) in values.reversed().enumerated() {
                switch value {
                case .string(let text): try builder.set(text.utf8Span.span, column: column)
                case .date(let number), .integer(let number): builder.set(number, column: column)
                case .boolean(let isTrue): builder.set(isTrue ? 1 : 0, column: column)
                case nil: continue
                }
            }
            builder.commit(key: UInt64(number + 1), line: number + 1)
        }
        var output = MemoryOutput()
        let making = FactsFileMaking(appAppleId: 7, environment: .production, stamp: ReferenceTests.stamp)
        try builder.write(making, to: &output)
        file = try FactsFile(bytes: output.bytes, check: .full)
        binding = try FactsBinding(rules: rules, facts: file)
    }

    /// What the server would know of the subscriber with a number, by the file.
    func facts(of number: Int, ageSeconds: Int64) -> SubscriberFacts {
        SubscriberFacts(of: String(number + 1), in: file, binding, ageSeconds: ageSeconds)
    }
}
