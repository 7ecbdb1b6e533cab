public import Facts
public import JSON
internal import System

struct ConditionReader {
    let facts: FactTable
    let segments: [String: Int]

    /// Reads a condition; returns nil when the condition is wrong. `depth` is the nesting depth of groups, from 1.
    func read(_ value: SourceValue, depth: Int = 1) -> Condition? {
        guard value.isObject else { return nil }
        let names = value.value.members.map(\.name)
        let groups = Keys.group.names.filter { names.contains($0) }
        let heads = groups + [ConditionOperation.segment.word, "fact"].filter { names.contains($0) }
        guard heads.count <= 1 else {
            value.report(
                .ambiguous, "a condition is one of all, any, not, a segment and a predicate",
                hint: heads == [ConditionOperation.not.word, "fact"] ? "did you mean \"ne\"?" : nil)
            return nil
        }
        guard let head = heads.first, let inner = value.member(head) else {
            value.checkKeys(.condition, meaning: Synonyms.meaning)
            // An unknown key is already reported, and is probably the missing key misspelled.
            guard names.allSatisfy(Keys.condition.names.contains) else { return nil }
            value.report(.missingKey, "\"fact\", \"segment\", \"all\", \"any\" or \"not\" is missing")
            return nil
        }
        guard head != "fact" else { return predicate(value, inner, names) }
        value.checkKeys(Keys([head]))
        return head == ConditionOperation.segment.word
            ? segment(inner) : read(group: head, inner, depth: depth)
    }

    private func read(group: String, _ value: SourceValue, depth: Int) -> Condition? {
        guard depth <= DataFileLimits.conditionDepth else {
            value.reportKey(
                .tooMany, "conditions nest deeper than \(DataFileLimits.conditionDepth)",
                hint: "a segment begins anew")
            return nil
        }
        if group == ConditionOperation.not.word { return read(value, depth: depth + 1).map { .not($0) } }
        guard let elements = value.elements else { return nil }
        guard !elements.isEmpty else {
            value.report(.badValue, "\"\(group)\" has no conditions")
            return nil
        }
        let children = elements.known { read($0, depth: depth + 1) }
        return group == ConditionOperation.all.word ? children.map { .all($0) } : children.map { .any($0) }
    }

    private func segment(_ value: SourceValue) -> Condition? {
        guard let name = value.string else { return nil }
        guard let place = segments[name] else {
            value.report(
                .unknownName, "there is no segment \"\(name)\"",
                hint: Hint.near(name, among: segments.keys.sorted()))
            return nil
        }
        return .segment(place)
    }

    private func predicate(_ value: SourceValue, _ fact: SourceValue, _ names: [String]) -> Condition? {
        value.checkKeys(.predicate, meaning: Synonyms.meaning)
        let entry = facts.find(fact)
        let operations = ConditionOperation.predicates.filter { names.contains($0.word) }
        guard operations.count <= 1 else {
            value.report(.ambiguous, "a predicate has one operation", hint: "put several into \"all\"")
            return nil
        }
        guard let operation = operations.first else {
            guard names.count == 1 else { return nil }
            let all = Keys.operations.names.joined(separator: ", ")
            value.report(.missingKey, "an operation is missing", hint: "one of \(all)")
            return nil
        }
        return condition(entry, operation, value)
    }

    private func condition(_ entry: FactTable.Entry?, _ operation: ConditionOperation, _ value: SourceValue)
        -> Condition?
    {
        guard let entry, let kind = entry.kind, let operand = value.member(operation.word) else { return nil }
        guard operation.fits(kind) else {
            let all = ConditionOperation.predicates.filter { $0.fits(kind) }.map(\.word)
            operand.reportKey(
                .wrongKind,
                "\"\(entry.name)\" is \(kind.words), which \"\(operation.word)\" cannot compare",
                hint: "one of \(all.joined(separator: ", "))")
            return nil
        }
        return FactValueReader(entry: entry).operands(operand, of: operation)
            .map { .predicate(Predicate(entry.fact, operation, $0)) }
    }
}

enum Synonyms {
    static func meaning(of word: String) -> String? { words[word.lowercased().filter { $0 != "_" }] }

    private static let words: [String: String] = {
        let operations = ConditionOperation.allCases.map { ($0.word, $0.synonyms) }
        let lists = operations + [("fact", ["field", "attribute", "property", "key"])]
        return Dictionary(lists.flatMap { meant, words in words.map { ($0, meant) } }) { first, _ in first }
    }()
}

struct FactTable {
    struct Entry {
        let name: String
        let fact: Fact
        let kind: ValueKind?
        let values: [String]?
    }

    private(set) var declarations: [RulesModel.FactDeclaration] = []
    private var entries: [String: Entry] = [:]
    private(set) var names: [String] = []

    init(_ value: SourceValue?) {
        for fact in Fact.builtIns {
            guard let name = fact.builtInName else { continue }
            add(Entry(name: name, fact: fact, kind: fact.builtInKind, values: nil))
        }
        let builtIn = Set(names)
        for (name, value) in value?.entries(limit: DataFileLimits.factCount) ?? [] {
            // A fact with a wrong name is declared all the same, so that predicates on it are not reported too.
            let isName = value.checkName(name, isKey: true)
            if isName, builtIn.contains(name) {
                value.reportKey(
                    .badValue, "\"\(name)\" is a fact that the server knows by itself",
                    hint: "it needs no declaration")
                continue
            }
            let type = value.string.flatMap { FactType($0) { value.report(.badValue, $0, hint: $1) } }
            let fact = Fact.declared(declarations.count)
            declarations.append(.init(name: name, kind: type?.kind ?? .string, values: type?.values))
            add(Entry(name: name, fact: fact, kind: type?.kind, values: type?.values))
        }
    }

    subscript(name: String) -> Entry? { entries[name] }

    private mutating func add(_ entry: Entry) {
        entries[entry.name] = entry
        names.append(entry.name)
    }

    func find(_ value: SourceValue) -> Entry? {
        guard let name = value.string else { return nil }
        guard let entry = entries[name] else {
            let hint = Hint.near(name, among: names) ?? "facts of a facts file are declared in \"facts\""
            value.report(.unknownName, "unknown fact \"\(name)\"", hint: hint)
            return nil
        }
        return entry
    }

    /// Returns the string fact that the `unit` of an object names, or originalTransactionId when the object has no `unit`.
    func unit(of object: SourceValue) -> Fact? {
        guard let value = object.member("unit") else { return .originalTransactionId }
        guard let entry = find(value), let kind = entry.kind else { return nil }
        guard kind == .string else {
            value.report(.wrongKind, "\"\(entry.name)\" is \(kind.words), a unit is a string")
            return nil
        }
        return entry.fact
    }
}

extension ValueKind {
    var words: String {
        switch self {
        case .string: "a string"
        case .date: "a date"
        case .integer: "a whole number"
        case .boolean: "true or false"
        }
    }
}

extension RulesModel {
    public static func facts(declaredIn value: SourceValue) -> [FactDeclaration] {
        FactTable(value).declarations
    }
}

public enum FactType: Sendable, Hashable {
    case boolean
    case integer
    case date
    case string
    /// One of the listed texts.
    case enumeration([String])

    private static let plain: [(word: String, type: FactType)] = [
        ("bool", .boolean), ("int", .integer), ("date", .date), ("string", .string),
    ]

    /// For a text of no type, calls `report` with what is wrong, and returns nil.
    public init?(_ text: String, report: (_ problem: String, _ hint: String?) -> Void = { _, _ in }) {
        if let (_, type) = Self.plain.first(where: { $0.word == text }) {
            self = type
            return
        }
        guard text.hasPrefix("enum(") else {
            report("unknown kind of fact", Hint.choice(text, among: Self.plain.map(\.word) + ["enum(a, b)"]))
            return nil
        }
        guard text.hasSuffix(")") else {
            report("the list of values is not closed", "enum(a, b)")
            return nil
        }
        let list = text.dropFirst("enum(".count).dropLast()
        let values = list.split(separator: ",", omittingEmptySubsequences: false).map { value in
            String(value.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        if let wrong = values.first(where: { $0.isEmpty || $0.contains("(") || $0.contains(")") }) {
            report(
                "the list of values has \(wrong.isEmpty ? "an empty value" : "a value with a parenthesis")",
                "enum(a, b)")
            return nil
        }
        var seen: Set<[UInt8]> = []
        if let twice = values.first(where: { !seen.insert(Array($0.utf8)).inserted }) {
            report("the value \"\(twice)\" stands twice", nil)
            return nil
        }
        self = .enumeration(values)
    }

    public init(_ declaration: RulesModel.FactDeclaration) {
        self =
            switch declaration.kind {
            case .boolean: .boolean
            case .integer: .integer
            case .date: .date
            case .string: declaration.values.map { .enumeration($0) } ?? .string
            }
    }

    public var kind: ValueKind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .date: .date
        case .string, .enumeration: .string
        }
    }

    public var values: [String]? {
        if case .enumeration(let values) = self { values } else { nil }
    }
}

struct FactValueReader {
    let entry: FactTable.Entry

    func operands(_ value: SourceValue, of operation: ConditionOperation) -> [FactValue]? {
        switch operation.operand {
        case .conditions, .segment: nil
        case .value: self.value(value).map { [$0] }
        case .list: values(value)
        case .range: range(value)
        case .flag: value.boolean.map { [.boolean($0)] }
        case .part(let verb): part(value, of: operation, verb).map { [.string($0)] }
        case .days:
            value.integer(in: 0...DataFileLimits.dayCount, "a number of days").map { [.integer($0)] }
        }
    }

    func value(_ value: SourceValue) -> FactValue? {
        switch entry.kind {
        case .boolean: value.boolean.map { .boolean($0) }
        case .integer: value.integer.map { .integer($0) }
        case .date: value.date.map { .date($0) }
        case .string: string(value).map { .string($0) }
        case nil: nil
        }
    }

    /// Wrong values are reported and left out; the others stay.
    func values(_ value: SourceValue) -> [FactValue]? {
        guard let elements = value.elements(limit: RulesSourceLimits.listCount) else { return nil }
        guard !elements.isEmpty else {
            value.report(.badValue, "an empty list")
            return nil
        }
        return elements.compactMap { self.value($0) }
    }

    private func range(_ value: SourceValue) -> [FactValue]? {
        guard let elements = value.elements(limit: 2) else { return nil }
        guard elements.count == 2 else {
            value.report(.badValue, "a range has two ends", hint: "[low, high], both of them included")
            return nil
        }
        guard let ends = elements.known({ self.value($0) }) else { return nil }
        guard let low = ends[0].rank, let high = ends[1].rank, low <= high else {
            value.report(.badValue, "the first end is greater than the second")
            return nil
        }
        return ends
    }

    /// Reads a part of a value, such as a prefix. Some possible value must match it; `verb` describes the match for messages.
    private func part(_ value: SourceValue, of operation: ConditionOperation, _ verb: String) -> String? {
        guard let text = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        let isLocale = entry.fact == .userLocale || entry.fact == .language
        if isLocale, text.utf8.contains(UInt8(ascii: "_")) {
            let meant = String(text.map { $0 == "_" ? "-" : $0 })
            value.report(.badValue, "no locale \(verb) with \"\(text)\"", hint: "did you mean \"\(meant)\"?")
            return nil
        }
        let predicate = Predicate(entry.fact, operation, [.string(text)])
        if let values = entry.values, !values.contains(where: { predicate.isTrue(of: .string($0)) == true }) {
            let hint = Hint.choice(text, among: values)
            value.report(.badValue, "no value of \"\(entry.name)\" \(verb) with \"\(text)\"", hint: hint)
            return nil
        }
        return text
    }

    private func string(_ value: SourceValue) -> String? {
        switch entry.fact {
        case .environment: return SourceReader.environment(value)?.rawValue
        case .userLocale:
            guard let text = value.string, value.checkLocale(text) else { return nil }
            return text
        case .language:
            guard let text = value.string else { return nil }
            guard LocaleSpelling.isLanguage(text) else {
                value.report(.badValue, "not a language", hint: "the part before the first hyphen, as en")
                return nil
            }
            return text
        default: break
        }
        guard let text = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        // The service compares facts byte by byte; Swift's strings compare differently.
        if let values = entry.values, !values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            let hint = Hint.choice(text, among: values)
            value.report(.badValue, "\"\(entry.name)\" is never \"\(text)\"", hint: hint)
            return nil
        }
        return text
    }
}

extension FactValue {
    /// The place of the value in the order of its kind; nil for kinds without an order.
    public var rank: Int64? {
        switch self {
        case .date(let number), .integer(let number): number
        case .string, .boolean: nil
        }
    }
}

extension FactValue {
    public var node: JSONNode {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .boolean(let truth): .boolean(truth)
        case .date(let milliseconds): .string(CivilTime(milliseconds: milliseconds).exactDescription)
        }
    }
}

extension FactValue? {
    public var node: JSONNode { self?.node ?? .null }
}

extension Sequence {
    /// Returns the results of `read` for all elements, or nil when `read` fails for one of them. All elements are read
    /// even then, so that every error is reported.
    func known<Value>(_ read: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        var isWhole = true
        for element in self {
            if let value = read(element) { values.append(value) } else { isWhole = false }
        }
        return isWhole ? values : nil
    }
}
