internal import DataFiles
internal import JSON
internal import Vocabulary

/// The facts that a source can name: the server's own, and those that it declares.
struct FactTable {
    /// A fact with what its values can be.
    struct Entry {
        /// Its name in the source.
        let name: String
        /// Its number in the file.
        let fact: Fact
        /// What its values are; nil when its declaration is wrong, so that what uses it is not wrong as well.
        let kind: ValueKind?
        /// All values it can have, where the source lists them.
        let values: [String]?
    }

    /// What the source declares, for the file.
    private(set) var declarations: [RulesModel.FactDeclaration] = []
    private var entries: [String: Entry] = [:]
    /// All names, for hints.
    private(set) var names: [String] = []

    /// Starts with the facts that the server knows by itself.
    init() {
        for fact in Fact.builtIns {
            guard let name = fact.builtInName else { continue }
            add(Entry(name: name, fact: fact, kind: fact.builtInKind, values: nil))
        }
    }

    /// The fact of that name.
    subscript(name: String) -> Entry? { entries[name] }

    /// Adds a fact of a facts file.
    mutating func declare(_ name: String, _ kind: ValueKind?, values: [String]?) {
        let fact = Fact.declared(declarations.count)
        declarations.append(RulesModel.FactDeclaration(name: name, kind: kind ?? .string))
        add(Entry(name: name, fact: fact, kind: kind, values: values))
    }

    private mutating func add(_ entry: Entry) {
        entries[entry.name] = entry
        names.append(entry.name)
    }

    /// The fact that a value names; reported when there is none.
    func find(_ value: SourceValue) -> Entry? {
        guard let name = value.string else { return nil }
        guard let entry = entries[name] else {
            let hint = Hint.near(name, among: names) ?? "facts of a facts file are declared in \"facts\""
            value.report(.unknownFact, "unknown fact \"\(name)\"", hint: hint)
            return nil
        }
        return entry
    }

    /// The string fact that `unit` of an object names; originalTransactionId when it has none.
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
    /// With its article, for messages.
    var words: String {
        switch self {
        case .string: "a string"
        case .date: "a date"
        case .integer: "a whole number"
        case .boolean: "true or false"
        }
    }
}
