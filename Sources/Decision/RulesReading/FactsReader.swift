internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads `facts`: the declarations of the facts that a facts file has about each subscriber.
enum FactsReader {
    static func read(_ value: SourceValue?) -> FactTable {
        var table = FactTable()
        let builtIn = Set(table.names)
        for (name, value) in value?.namedMembers(limit: DataFileLimits.factCount) ?? [] {
            // A fact with a wrong name is declared all the same, so that predicates on it are not reported too.
            let isName = value.checkName(name, isKey: true)
            if isName, builtIn.contains(name) {
                value.reportKey(
                    .reservedName, "\"\(name)\" is a fact that the server knows by itself",
                    hint: "it needs no declaration")
                continue
            }
            let kind = value.string.flatMap { FactKind(value, text: $0) }
            table.declare(name, kind?.valueKind, values: kind?.values)
        }
        return table
    }
}

/// The type in a fact's declaration: `bool`, `int`, `date`, `string` or `enum(new, loyal)`.
struct FactKind {
    let valueKind: ValueKind
    /// The values of an `enum`; nil for other types.
    let values: [String]?

    private static let words: [(String, ValueKind)] = [
        ("bool", .boolean), ("int", .integer), ("date", .date), ("string", .string),
    ]

    /// Reads `text`, which is the string of `value`. Reports a text that is not a type and returns nil.
    init?(_ value: SourceValue, text: String) {
        if let (_, kind) = Self.words.first(where: { $0.0 == text }) {
            valueKind = kind
            values = nil
            return
        }
        guard text.hasPrefix("enum(") else {
            let names = Self.words.map(\.0) + ["enum(a, b)"]
            value.report(.unknownFactKind, "unknown kind of fact", hint: Hint.choice(text, among: names))
            return nil
        }
        guard text.hasSuffix(")") else {
            value.report(.badEnum, "the list of values is not closed", hint: "enum(a, b)")
            return nil
        }
        let list = text.dropFirst("enum(".count).dropLast()
        let values = list.split(separator: ",", omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        if let wrong = values.first(where: { $0.isEmpty || $0.contains("(") || $0.contains(")") }) {
            let what = wrong.isEmpty ? "an empty value" : "a value with a parenthesis"
            value.report(.badEnum, "the list of values has \(what)", hint: "enum(a, b)")
            return nil
        }
        guard values.count <= RulesSourceLimits.enumCount else {
            let limit = RulesSourceLimits.enumCount
            value.report(.tooMany, "\(values.count) values, more than the limit of \(limit)")
            return nil
        }
        var seen: Set<[UInt8]> = []
        if let twice = values.first(where: { !seen.insert(Array($0.utf8)).inserted }) {
            value.report(.badEnum, "the value \"\(twice)\" stands twice")
            return nil
        }
        valueKind = .string
        self.values = values
    }
}
