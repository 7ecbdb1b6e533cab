import Facts
import Rules
import Support
import System

/// A facts file of a few subscribers, bound to the rules that declare its columns.
struct StoredFacts {
    let file: FactsFile
    let binding: FactsBinding

    /// Writes a file with the values of subscribers 1, 2 and so on, in the order of the declared facts. A nil row is a
    /// subscriber without a record. The columns stand in the opposite order.
    init(_ rows: [[FactValue?]?], rules: RulesFile) throws {
        let columns = rules.declaredFacts.reversed().map { FactsBuilder.Column(name: $0.name, kind: $0.kind) }
        var builder = FactsBuilder(columns: columns)
        for (number, row) in rows.enumerated() {
            guard let row else { continue }
            for (column, value) in row.reversed().enumerated() {
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
        let making = FactsFileIdentity(appAppleId: 7, environment: .production, stamp: PlainSample.stamp)
        try builder.write(making, to: &output)
        file = try FactsFile(bytes: output.bytes, check: .full)
        binding = try FactsBinding(rules: rules, facts: file)
    }

    /// Returns the facts that the server reads from the file for this subscriber.
    func facts(of subscriber: String, ageSeconds: Int64) -> SubscriberFacts {
        SubscriberFacts(of: subscriber, in: file, binding, ageSeconds: ageSeconds)
    }
}
