internal import Facts
internal import JSON
internal import System

/// Reads conditions: `all`, `any`, `not`, segments and predicates.
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
            readParts(value, heads, names, depth: depth)
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

    /// Reads the forms that occur side by side in one condition, to report errors inside them. A value of the wrong
    /// JSON type is not reported: it is part of the one error that is already reported.
    private func readParts(_ value: SourceValue, _ heads: [String], _ names: [String], depth: Int) {
        value.checkKeys(.condition, meaning: Synonyms.meaning)
        for head in heads {
            guard let inner = value.member(head), inner.value.count > 0 || inner.value.kind == .string else {
                continue
            }
            switch (head, inner.value.kind) {
            case ("fact", .string): _ = comparison(value, inner, names)
            case (ConditionOperation.segment.word, .string): _ = segment(inner)
            case (ConditionOperation.all.word, .array), (ConditionOperation.any.word, .array),
                (ConditionOperation.not.word, .object):
                _ = read(group: head, inner, depth: depth)
            default: break
            }
        }
    }

    private func read(group: String, _ value: SourceValue, depth: Int) -> Condition? {
        guard depth <= DataFileLimits.conditionDepth else {
            value.reportKey(
                .tooMany, "conditions nest deeper than \(DataFileLimits.conditionDepth)",
                hint: "a segment begins anew")
            return nil
        }
        if group == ConditionOperation.not.word { return read(value, depth: depth + 1).map { .not($0) } }
        guard let elements = value.elements(limit: RulesSourceLimits.groupCount) else { return nil }
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
        return comparison(value, fact, names)
    }

    private func comparison(_ value: SourceValue, _ fact: SourceValue, _ names: [String]) -> Condition? {
        let entry = facts.find(fact)
        let operations = ConditionOperation.predicates.filter { names.contains($0.word) }
        guard operations.count <= 1 else {
            value.report(
                .ambiguous, "a predicate has one operation", hint: "put several into \"all\"")
            for operation in operations { _ = condition(entry, operation, value) }
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

/// The words of other rules languages for the keys of a condition.
enum Synonyms {
    static func meaning(of word: String) -> String? { words[word.lowercased().filter { $0 != "_" }] }

    private static let words: [String: String] = {
        let operations = ConditionOperation.allCases.map { ($0.word, $0.synonyms) }
        let lists = operations + [("fact", ["field", "attribute", "property", "key"])]
        return Dictionary(lists.flatMap { meant, words in words.map { ($0, meant) } }) { first, _ in first }
    }()
}
