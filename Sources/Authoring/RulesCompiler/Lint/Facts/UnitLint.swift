internal import DataFiles
internal import JSON
internal import RulesReading

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
