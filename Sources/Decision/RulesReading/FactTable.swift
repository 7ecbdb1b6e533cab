internal import DataFiles
internal import JSON
internal import Vocabulary

/// The facts that a source can name: the built-in ones and those that the source declares.
struct FactTable {
    /// A fact and its possible values.
    struct Entry {
        /// The name of the fact in the source.
        let name: String
        /// The fact as the file stores it.
        let fact: Fact
        /// The kind of its values. Nil when the declaration is wrong, so that the uses of the fact are not reported too.
        let kind: ValueKind?
        /// All possible values, when the source lists them.
        let values: [String]?
    }

    /// The declarations of the source, for the file.
    private(set) var declarations: [RulesModel.FactDeclaration] = []
    private var entries: [String: Entry] = [:]
    /// The names of all facts, for hints.
    private(set) var names: [String] = []

    init() {
        for fact in Fact.builtIns {
            guard let name = fact.builtInName else { continue }
            add(Entry(name: name, fact: fact, kind: fact.builtInKind, values: nil))
        }
    }

    subscript(name: String) -> Entry? { entries[name] }

    /// Adds a fact that the source declares.
    mutating func declare(_ name: String, _ kind: ValueKind?, values: [String]?) {
        let fact = Fact.declared(declarations.count)
        declarations.append(RulesModel.FactDeclaration(name: name, kind: kind ?? .string))
        add(Entry(name: name, fact: fact, kind: kind, values: values))
    }

    private mutating func add(_ entry: Entry) {
        entries[entry.name] = entry
        names.append(entry.name)
    }

    /// Returns the fact that a value names. Reports an unknown name and returns nil.
    func find(_ value: SourceValue) -> Entry? {
        guard let name = value.string else { return nil }
        guard let entry = entries[name] else {
            let hint = Hint.near(name, among: names) ?? "facts of a facts file are declared in \"facts\""
            value.report(.unknownFact, "unknown fact \"\(name)\"", hint: hint)
            return nil
        }
        return entry
    }

    /// Returns the string fact that the `unit` of an object names, or originalTransactionId when the object has no `unit`.
    func unit(of object: SourceValue) -> Fact? {
        guard let value = object.member("unit") else { return .originalTransactionId }
        guard let entry = find(value), let kind = entry.kind else { return nil }
        guard kind == .string else {
            value.report(.wrongFactKind, "\"\(entry.name)\" is \(kind.words), a unit is a string")
            return nil
        }
        return entry.fact
    }
}

extension ValueKind {
    /// The kind with its article, for messages.
    var words: String {
        switch self {
        case .string: "a string"
        case .date: "a date"
        case .integer: "a whole number"
        case .boolean: "true or false"
        }
    }
}
