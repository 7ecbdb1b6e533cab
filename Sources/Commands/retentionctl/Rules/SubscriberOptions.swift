internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import System

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
    ) throws -> SubscriberFacts {
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
        let hint = FactNames.hint(for: name, among: declared.map(\.name))
        throw ToolError(
            code: "facts.unknown-fact", FactNames.unknown(name), hint: hint, file: option)
    }

    /// Returns the value if the fact can have it, else throws `facts.wrong-value`.
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
    /// Returns the value that a text stands for; nil when the text is not a value of this kind.
    static func value(of text: String, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .date: date(text)
        }
    }

    /// Returns the value that a JSON value stands for; nil when it is not a value of this kind.
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

    static func node(_ value: FactValue?) -> JSONNode {
        switch value {
        case .string(let text)?: .string(text)
        case .integer(let number)?: .integer(number)
        case .boolean(let truth)?: .boolean(truth)
        case .date(let milliseconds)?: .string(FactText.date(milliseconds))
        case nil: .null
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

/// A facts file, bound to the rules that read its facts.
struct FactsSource {
    let file: FactsFile
    private let binding: FactsBinding

    init(_ path: String, for rules: RulesFile) throws {
        try self.init(try CompiledFacts.open(path, check: .structure), path, for: rules)
    }

    /// Binds an open facts file to rules.
    ///
    /// - Throws: `input.other-app` when the two files are for different apps or environments, else the code of the
    ///   binding.
    init(_ file: FactsFile, _ path: String, for rules: RulesFile) throws {
        guard file.header.owner == rules.owner else {
            throw ToolError(
                code: "input.other-app", "facts of \(file.header.owner), rules of \(rules.owner)",
                file: path)
        }
        self.file = file
        binding = try ToolError.about(path) { try FactsBinding(rules: rules, facts: file) }
    }

    /// Returns the facts of a subscriber at this time, as the service would see them. `ageSeconds` replaces the age of
    /// the file.
    func facts(of originalTransactionId: String, atMilliseconds now: Int64, ageSeconds: Int64? = nil)
        -> SubscriberFacts
    {
        SubscriberFacts(
            of: originalTransactionId, in: file, binding,
            ageSeconds: ageSeconds ?? file.ageSeconds(atMilliseconds: now))
    }
}

/// Messages about names of facts.
enum FactNames {
    /// Returns the message that the rules declare no such fact.
    static func unknown(_ name: String) -> String { "the rules declare no fact \"\(name)\"" }

    /// Returns a hint with the nearest declared name, or with all declared names; nil when none is declared.
    static func hint(for name: String, among names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let near = Spelling.nearest(to: name, among: names)
        return near.map { "did you mean \"\($0)\"?" } ?? "declared are: \(names.joined(separator: ", "))"
    }
}
