internal import DataFiles
internal import JSON
internal import Vocabulary
internal import RulesReading

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
            } else if facts.isStoreAlone {
                let near = Spelling.nearest(to: fact.name, among: facts.storeNames)
                findings.add(
                    .factNotInStore,
                    "\"\(fact.name)\" does not follow from the store",
                    at: path,
                    isKey: true,
                    hint: near.map { "there is \"\($0)\"" }
                        ?? "a table of your own can have it; check the file that is built with it by --facts"
                )
            } else {
                findings.add(
                    .factNotInFacts, "the facts have no \"\(fact.name)\"", at: path, isKey: true,
                    hint: Hint.near(fact.name, among: names))
            }
        }
    }
}
