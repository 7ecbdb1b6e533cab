internal import Facts
internal import JSON
internal import Rules
internal import System

/// Compares rules with the facts of real subscribers.
struct FactsLint {
    let model: RulesModel
    let facts: LintFacts
    let findings: Findings

    func check() {
        checkColumns()
        guard facts.file.rowCount > 0 else {
            return findings.add(.factsEmpty, "the facts have no subscriber, so no value is compared", at: [])
        }
        ValueLint(model: model, facts: facts, findings: findings).check()
        UnitLint(model: model, facts: facts, findings: findings).check()
    }

    /// Finds declared facts that the file lacks, or has with another type.
    private func checkColumns() {
        let names = facts.file.columns.map(\.name)
        for fact in model.facts where facts.column(fact.name, fact.kind) == nil {
            let path: JSONPath = [.member("facts"), .member(fact.name)]
            if let column = facts.file.columns.first(where: { $0.name == fact.name }) {
                let text =
                    "the facts have \"\(fact.name)\" as \(column.kind.name), and the rules as \(fact.kind.name)"
                findings.add(.factTypeDiffers, text, at: path)
            } else {
                findings.add(
                    .factNotInFacts, "the facts have no \"\(fact.name)\"", at: path, isKey: true,
                    hint: Hint.near(fact.name, among: names))
            }
        }
    }
}

/// Finds facts by which subscribers are drawn although many of them share one value: all of those get the same arm, and a
/// rollout of one percent may reach half of the subscribers.
struct UnitLint {
    let model: RulesModel
    let facts: LintFacts
    let findings: Findings

    func check() {
        var checked: Set<Int> = []
        for (unit, path) in units {
            guard let column = facts.column(of: unit, in: model), facts.file.columns[column].kind == .string,
                checked.insert(column).inserted
            else { continue }
            check(column, path + [.member("unit")])
        }
    }

    private var units: [(Fact, JSONPath)] {
        var units: [(Fact, JSONPath)] = []
        if let holdout = model.holdout { units.append((holdout.split.unit, [.member("holdout")])) }
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            let path: JSONPath = [.member("rules"), .index(index)]
            if let rollout = rule.rollout { units.append((rollout.unit, path + [.member("rollout")])) }
            if case .variants(let variants) = rule.choice {
                units.append((variants.unit, path + [.member("variants")]))
            }
        }
        return units
    }

    private func check(_ column: Int, _ path: JSONPath) {
        var counts = [Int](repeating: 0, count: facts.file.stringCount)
        for row in facts.file.rows {
            guard let number = facts.file.stringNumber(column: column, row: row),
                counts.indices.contains(number)
            else { continue }
            counts[number] += 1
        }
        let (most, all) = (counts.max() ?? 0, facts.file.rowCount)
        guard most > 1, most * 100 > all else { return }
        // The value may identify a person, so it is not shown.
        findings.add(
            .sharedUnit,
            "\(most) of \(facts.subscribers) (\(most * 100 / all) %) have the same "
                + "\"\(facts.file.columns[column].name)\", and all of them are drawn alike",
            at: path,
            hint: "leave placeholders such as all zeros out of the facts, or draw by originalTransactionId"
        )
    }
}

/// What occurs in one column of a facts file. It needs one look at each row.
struct FactsProfile {
    /// How many rows have a value.
    private(set) var presentCount = 0
    /// The least and the greatest number.
    private(set) var range: ClosedRange<Int64>?
    /// The ranges of strings that were asked for, and whether a row has one of each.
    private(set) var occurring: [Range<Int>: Bool] = [:]
    /// Different strings, the first that the rows have.
    private(set) var strings: Set<Int> = []

    /// As many different strings are kept for hints.
    static let stringLimit = 1_000

    /// `asked` are the ranges of strings for which to find whether a row has one of them.
    init(_ column: Int, _ facts: LintFacts, asked: Set<Range<Int>>) {
        let file = facts.file
        for range in asked { occurring[range] = false }
        var open = asked.filter { !$0.isEmpty }
        for row in file.rows {
            switch file.columns[column].kind {
            case .string:
                guard let number = file.stringNumber(column: column, row: row) else { continue }
                presentCount += 1
                if strings.count < Self.stringLimit { strings.insert(number) }
                for range in open where range.contains(number) {
                    occurring[range] = true
                    open.remove(range)
                }
            case .integer:
                guard let number = file.integer(column: column, row: row) else { continue }
                presentCount += 1
                range = min(range?.lowerBound ?? number, number)...max(range?.upperBound ?? number, number)
            case .date, .boolean:
                if file.isPresent(column: column, row: row) { presentCount += 1 }
            }
        }
    }

    /// The kept strings in order.
    func texts(_ file: FactsFile) -> [String] { strings.sorted().compactMap { file.string(numbered: $0) } }
}
