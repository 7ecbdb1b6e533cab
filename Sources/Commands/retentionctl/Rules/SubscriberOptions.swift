internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import System

struct SubscriberOptions: ParsableArguments {
    @Option(help: "A facts file with the subscriber, or the facts as a JSON object.", completion: .facts)
    var facts: String?

    @Option(
        help: ArgumentHelp("A fact instead of the file's; missing without a value.", valueName: "name=value"))
    var fact: [NamedValue] = []

    @Option(help: "How old the facts are, in seconds; the age of the facts file if absent.")
    var factsAge: Int64?

    func validate() throws {
        guard factsAge ?? 0 >= 0 else { throw ValidationError("--facts-age must not be negative.") }
    }

    func known(
        of originalTransactionId: String, _ rules: RulesFile, _ enumerations: [String: [String]],
        atMilliseconds now: Int64
    ) throws -> SubscriberFacts {
        var known = SubscriberFacts.none(ageSeconds: factsAge)
        if let facts, facts.hasPrefix("{") {
            known = .literal(try Self.values(of: facts, rules, enumerations), ageSeconds: factsAge)
        } else if let facts {
            let source = try FactsSource(CompiledFacts.open(facts, check: .structure), facts, for: rules)
            known = source.facts(of: originalTransactionId, atMilliseconds: now, ageSeconds: factsAge)
        }
        guard !fact.isEmpty else { return known }
        // Values of --fact replace those of the facts file.
        let declared = rules.declaredFacts
        var values = known.values(of: declared.map(\.kind))
        for given in fact {
            let index = try Self.index(of: given.name, declared, option: "--fact")
            guard !given.value.isEmpty else {
                values[index] = nil
                continue
            }
            let value = FactLiteral.value(of: given.value, declared[index].kind)
            values[index] = try Self.fit(value, declared[index], enumerations, option: "--fact")
        }
        return .literal(values, ageSeconds: known.ageSeconds)
    }

    private static func values(
        of text: String, _ rules: RulesFile, _ enumerations: [String: [String]]
    ) throws -> [FactValue?] {
        let limits = JSONLimits(byteCount: Input.limitBytes, depth: 2)
        let document = try ToolError.about("--facts") {
            try JSONDocument(parsing: text.utf8Span.span, limits: limits)
        }
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

    private static func index(
        of name: String, _ declared: [(name: String, kind: ValueKind)], option: String
    ) throws -> Int {
        if let index = declared.firstIndex(where: { $0.name == name }) { return index }
        let names = declared.map(\.name)
        throw ToolError(
            code: "facts.unknown-fact", "the rules declare no fact \"\(name)\"",
            hint: names.isEmpty ? nil : Hint.choice(name, among: names), file: option)
    }

    private static func fit(
        _ value: FactValue?, _ fact: (name: String, kind: ValueKind), _ enumerations: [String: [String]],
        option: String
    ) throws -> FactValue {
        let list = enumerations[fact.name]
        if let value, list?.contains(where: { value == .string($0) }) ?? true { return value }
        let form = list.map { "one of \($0.joined(separator: ", "))" } ?? FactLiteral.form(of: fact.kind)
        let message = "\(fact.name) is \(fact.kind.name): \(form)"
        throw ToolError(code: "facts.wrong-value", message, file: option)
    }
}

/// Values of facts on the command line and in samples. A value must have the fact's type; nothing is converted.
enum FactLiteral {
    static func value(of text: String, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .date: date(text)
        }
    }

    static func value(of node: JSONNode, _ kind: ValueKind) -> FactValue? {
        switch (node, kind) {
        case (.string(let text), .string): .string(text)
        case (.integer(let number), .integer): .integer(number)
        case (.boolean(let truth), .boolean): .boolean(truth)
        case (.string(let text), .date): date(text)
        default: nil
        }
    }

    static func form(of kind: ValueKind) -> String {
        switch kind {
        case .string: "a text"
        case .integer: "a whole number of 64 bits"
        case .boolean: "true or false"
        case .date: "a date as 2026-11-21T00:00:00Z"
        }
    }

    /// Reads a date in the form of tables and rules: RFC 3339 in UTC, with the suffix `Z`.
    private static func date(_ text: String) -> FactValue? {
        guard text.hasSuffix("Z"), let time = CivilTime(text)?.milliseconds,
            DataFileLimits.dateRange.contains(time)
        else { return nil }
        return .date(time)
    }
}

struct FactsSource {
    let file: FactsFile
    private let binding: FactsBinding

    init(_ file: FactsFile, _ path: String, for rules: RulesFile) throws {
        guard file.header.owner == rules.owner else {
            throw ToolError(
                code: "input.other-app", "facts of \(file.header.owner), rules of \(rules.owner)",
                file: path)
        }
        self.file = file
        binding = try ToolError.about(path) { try FactsBinding(rules: rules, facts: file) }
    }

    /// What the service would see of a subscriber at this time. `ageSeconds` replaces the age of the file.
    func facts(of originalTransactionId: String, atMilliseconds now: Int64, ageSeconds: Int64? = nil)
        -> SubscriberFacts
    {
        SubscriberFacts(
            of: originalTransactionId, in: file, binding,
            ageSeconds: ageSeconds ?? file.ageSeconds(atMilliseconds: now))
    }

    func facts(of row: FactsRow, ageSeconds: Int64) -> SubscriberFacts {
        .row(file, row, binding, ageSeconds: ageSeconds)
    }
}
