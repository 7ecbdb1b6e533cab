internal import ArgumentParser
internal import DataFiles
internal import Decisions
internal import JSON
internal import Vocabulary

/// The facts of a subscriber as options: a facts file, values on the command line, or both.
struct SubscriberOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A facts file, where the subscriber is looked up; or the facts themselves, as a JSON object.",
            valueName: "file|object"),
        completion: .file(extensions: ["facts"])
    )
    var facts: String?

    @Option(
        help: ArgumentHelp(
            "A fact that replaces the facts file's value; without =value it is missing. May be repeated.",
            valueName: "name=value")
    )
    var fact: [String] = []

    @Option(
        help: ArgumentHelp(
            "How old the facts are; the age of the facts file if absent.", valueName: "seconds")
    )
    var factsAge: Int64?

    func validate() throws {
        guard fact.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--fact takes name=value.") }
        guard factsAge ?? 0 >= 0 else { throw ValidationError("--facts-age must not be negative.") }
    }

    /// Returns the facts of a subscriber at this time, for the rules of a file and the values of its enumerations.
    func known(
        of originalTransactionId: String, _ rules: RulesFile, _ enumerations: [String: [String]],
        atMilliseconds now: Int64
    ) throws(ToolFailure) -> SubscriberFacts {
        var known = SubscriberFacts.none(ageSeconds: factsAge)
        if let facts, facts.hasPrefix("{") {
            known = .literal(try Self.values(of: facts, rules, enumerations), ageSeconds: factsAge)
        } else if let facts {
            let source = try FactsSource(facts, for: rules)
            known = source.facts(of: originalTransactionId, atMilliseconds: now, ageSeconds: factsAge)
        }
        guard !fact.isEmpty else { return known }
        // Values of --fact replace those of the facts file.
        let declared = rules.declaredFacts
        var values = known.values(of: declared.map(\.kind))
        for text in fact {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let index = try Self.index(of: String(parts[0]), declared, option: "--fact")
            guard !parts[1].isEmpty else {
                values[index] = nil
                continue
            }
            let value = FactLiteral.value(of: String(parts[1]), declared[index].kind)
            values[index] = try Self.fit(value, declared[index], enumerations, option: "--fact")
        }
        return .literal(values, ageSeconds: known.ageSeconds)
    }

    /// Reads the facts from a JSON object, in the order in which the rules declare them.
    private static func values(of text: String, _ rules: RulesFile, _ enumerations: [String: [String]])
        throws(ToolFailure) -> [FactValue?]
    {
        let limits = JSONLimits(byteCount: Input.limitBytes, depth: 2)
        let document = try JSONError.mapped(
            to: { ToolFailure(.badData, [Finding($0).inFile("--facts")]) },
            try JSONDocument(parsing: text.utf8Span.span, limits: limits)
        )
        let declared = rules.declaredFacts
        var values = [FactValue?](repeating: nil, count: declared.count)
        for (name, node) in document.root.members {
            let index = try index(of: name, declared, option: "--facts")
            guard node.kind != .null else { continue }
            let value = FactLiteral.value(of: JSONNode(node), declared[index].kind)
            values[index] = try fit(value, declared[index], enumerations, option: "--facts")
        }
        return values
    }

    private static func index(of name: String, _ declared: [(name: String, kind: ValueKind)], option: String)
        throws(ToolFailure) -> Int
    {
        if let index = declared.firstIndex(where: { $0.name == name }) { return index }
        let hint = FactNames.hint(for: name, among: declared.map(\.name))
        throw ToolFailure(
            .badData, code: "facts.unknown-fact", FactNames.unknown(name), hint: hint, file: option)
    }

    /// Returns the value if the fact can have it, else throws `facts.wrong-value`.
    private static func fit(
        _ value: FactValue?, _ fact: (name: String, kind: ValueKind), _ enumerations: [String: [String]],
        option: String
    ) throws(ToolFailure) -> FactValue {
        let list = enumerations[fact.name]
        if let value, list?.contains(where: { value == .string($0) }) ?? true { return value }
        let form = list.map { "one of \($0.joined(separator: ", "))" } ?? FactLiteral.form(of: fact.kind)
        let message = "\(fact.name) is \(fact.kind.name): \(form)"
        throw ToolFailure(.badData, code: "facts.wrong-value", message, file: option)
    }
}
