import Authoring
import Facts
import Rules
import SubscriberHistory
import Support
import System
import Testing

/// A template of `examples/rules` that uses facts of the store.
struct Template: Sendable {
    /// The names of the files.
    static let names = ["loyal-annual", "trial", "price-rise", "win-back", "once-in-180-days"]

    let model: RulesModel
    let rules: RulesFile

    init(_ name: String) throws {
        model = try RulesCompiler.model(of: SourceFile.read("\(SourceFile.root)/examples/rules/\(name).json"))
        rules = model.file
    }

    /// Writes a facts file with the facts of the template.
    func facts(_ rows: [(key: UInt64, values: [SubscriberFact: HistoryValue])]) throws -> [UInt8] {
        var table = FactsTable(columns: model.facts.map { .init(name: $0.name, kind: $0.kind) })
        let facts = try model.facts.map { try #require(SubscriberFact(name: $0.name)) }
        table.rows = rows.map { row in
            (key: row.key, values: facts.map { row.values[$0].map(FactsTestValue.init) })
        }
        return try table.bytes()
    }

    /// The rule that decides for a subscriber with these facts, nil for the default; and the message.
    func decision(_ values: [SubscriberFact: HistoryValue], at now: Int64) throws -> (
        rule: String?, message: String?
    ) {
        let key: UInt64 = 2_000_000_001
        let file = try FactsFile(bytes: facts([(key: key, values: values)]), check: .full)
        let request = DecisionRequest(
            appAppleId: model.appAppleId, environment: model.environment, productId: "pro_monthly",
            userLocale: "en-US", originalTransactionId: String(key), nowMilliseconds: now, signing: .all)
        let known = SubscriberFacts(
            of: String(key), in: file, try FactsBinding(rules: rules, facts: file), ageSeconds: 60)
        let decision = decide(request, facts: known, using: rules)
        return (decision.ruleID(in: rules), decision.messageName(in: rules))
    }
}

extension FactsTestValue {
    init(_ value: HistoryValue) {
        self =
            switch value {
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .date(let time): .date(time)
            case .string(let text): .string(text)
            }
    }
}
