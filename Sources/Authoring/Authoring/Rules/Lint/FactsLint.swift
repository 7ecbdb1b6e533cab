package import Facts
internal import JSON
internal import Rules
internal import System

package struct LintFacts: Sendable {
    let file: FactsFile
    /// The values that a fact may have although no subscriber has one of them now, by the name of the fact.
    let possibleValues: [String: Set<String>]

    package init(_ file: FactsFile, possibleValues: [String: Set<String>] = [:]) {
        self.file = file
        self.possibleValues = possibleValues
    }

    /// The product of a request is that of the running period.
    fileprivate func column(of fact: Fact, in model: RulesModel) -> Int? {
        switch fact {
        case .productId: column("currentProductId", .string)
        case .declared(let index): column(model.facts[index].name, model.facts[index].kind)
        default: nil
        }
    }

    fileprivate func column(_ name: String, _ kind: ValueKind) -> Int? {
        file.columns.firstIndex { $0.name == name && $0.kind == kind }
    }
}

/// A fact that many subscribers share gives all of those the same arm, and a rollout of one percent may reach half of
/// them.
struct FactsLint {
    let model: RulesModel
    let facts: LintFacts
    let findings: Findings

    func check() {
        let file = facts.file
        for fact in model.facts where facts.column(fact.name, fact.kind) == nil {
            findings.add(
                .factNotInFacts, "the facts have no \(fact.kind.name) \"\(fact.name)\"",
                at: [.member("facts"), .member(fact.name)], isKey: true,
                hint: Hint.near(fact.name, among: file.columns.map(\.name).filter { $0 != fact.name }))
        }
        var predicates: [Int: [(predicate: Predicate, path: JSONPath)]] = [:]
        for (condition, path) in model.placedConditions {
            condition.forEachLeaf(path) { leaf, place in
                guard case .predicate(let predicate) = leaf, predicate.operation != .exists,
                    let column = facts.column(of: predicate.fact, in: model)
                else { return }
                predicates[column, default: []].append((predicate, place))
            }
        }
        var units: [Int: JSONPath] = [:]
        for (split, path) in model.placedSplits {
            guard let column = facts.column(of: split.unit, in: model), units[column] == nil else { continue }
            units[column] = path + [.member("unit")]
        }
        for column in Set(predicates.keys).union(units.keys).sorted() {
            let seen = SeenValues(of: column, in: file)
            // Where nobody has a value, the rules are not wrong about it.
            guard seen.count > 0 else { continue }
            for (predicate, path) in predicates[column] ?? [] { compare(predicate, path, column, seen) }
            if let path = units[column] { checkUnit(column, path, seen) }
        }
    }

    private func compare(_ predicate: Predicate, _ path: JSONPath, _ column: Int, _ seen: SeenValues) {
        let name = facts.file.columns[column].name
        let isList = predicate.operation.operand == .list || predicate.operation.operand == .range
        for (index, operand) in predicate.operands.enumerated() {
            let place = path + [.member(predicate.operation.word)] + (isList ? [.index(index)] : [])
            switch operand {
            case .string(let text): compare(text, predicate.operation, place, name, seen)
            case .integer(let number):
                // A number next to the least or the greatest is no mistake: it asks for the next one to come.
                guard let range = seen.range,
                    (number < range.lowerBound && number + 1 < range.lowerBound)
                        || (number > range.upperBound && number - 1 > range.upperBound)
                else { continue }
                findings.add(
                    .numberNotSeen,
                    "\"\(name)\" is from \(range.lowerBound) to \(range.upperBound) for all \(seen.subscribers) "
                        + "who have it, and \(number) is not",
                    at: place)
            case .boolean, .date: continue
            }
        }
    }

    private func compare(
        _ text: String, _ operation: ConditionOperation, _ path: JSONPath, _ name: String, _ seen: SeenValues
    ) {
        var verb = "is"
        if case .part(let word) = operation.operand { verb = "\(word) with" }
        func fits(_ value: String) -> Bool {
            guard case .part = operation.operand else { return value.utf8.elementsEqual(text.utf8) }
            return Predicate(.productId, operation, [.string(text)]).isTrue(of: .string(value)) == true
        }
        guard !seen.texts.contains(where: fits), facts.possibleValues[name]?.contains(where: fits) != true
        else { return }
        findings.add(
            .valueNeverOccurs,
            "\"\(name)\" \(verb) \"\(text)\" for none of \(seen.subscribers)",
            at: path, hint: Self.hint(text, among: seen.texts))
    }

    private static func hint(_ text: String, among values: [String]) -> String {
        let word = text.lowercased()
        let longer = values.filter { word.count > 1 && $0.lowercased().hasPrefix(word) }
        let near = longer.count == 1 ? longer[0] : Spelling.nearest(to: text, among: values)
        if let near { return "did you mean \"\(near)\"?" }
        let some = values.prefix(4).map { "\"\($0)\"" }.joined(separator: ", ")
        return values.count > 4 ? "there are \(some) and others" : "there are \(some)"
    }

    private func checkUnit(_ column: Int, _ path: JSONPath, _ seen: SeenValues) {
        let all = facts.file.rowCount
        guard seen.most > 1, seen.most * 100 > all else { return }
        // The value may identify a person, so it is not shown.
        findings.add(
            .sharedUnit,
            "\(seen.most) of \(SeenValues.subscribers(all)) (\(seen.most * 100 / all) %) have the same "
                + "\"\(facts.file.columns[column].name)\", and all of them are drawn alike",
            at: path,
            hint: "leave placeholders such as all zeros out of the facts, or draw by originalTransactionId")
    }
}

/// What the subscribers have in one column, from one look at each row.
private struct SeenValues {
    private(set) var count = 0
    /// How many rows have the most frequent text.
    private(set) var most = 0
    private(set) var range: ClosedRange<Int64>?
    private(set) var texts: [String] = []

    init(of column: Int, in file: FactsFile) {
        let kind = file.columns[column].kind
        var counts = [Int](repeating: 0, count: kind == .string ? file.stringCount : 0)
        for row in file.rows {
            if kind == .string, let number = file.stringNumber(column: column, row: row) {
                count += 1
                counts[number] += 1
            } else if kind == .integer, let number = file.integer(column: column, row: row) {
                count += 1
                range = min(range?.lowerBound ?? number, number)...max(range?.upperBound ?? number, number)
            }
        }
        most = counts.max() ?? 0
        texts = counts.indices.filter { counts[$0] > 0 }.compactMap { file.string(numbered: $0) }
    }

    var subscribers: String { Self.subscribers(count) }

    static func subscribers(_ count: Int) -> String { count == 1 ? "1 subscriber" : "\(count) subscribers" }
}
