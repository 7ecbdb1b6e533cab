import DataFileWriting
import DataFiles
import Decisions
import RulesCompiler
import SubscriberHistory
import Support
import Testing
import Vocabulary

/// A template of `examples/rules` that uses facts of the store.
struct Template: Sendable {
    /// The names of the files.
    static let names = ["loyal-annual", "trial", "price-rise", "win-back", "once-in-180-days"]

    let name: String
    /// The text of the rules.
    let source: [UInt8]
    let model: RulesModel
    /// The rules that are pushed.
    let bytes: [UInt8]
    let rules: RulesFile

    /// Reads a template, and changes texts in it. The template's own tests do not hold after a change, so they are left out.
    init(_ name: String, changes: [(old: String, new: String)] = []) throws {
        self.name = name
        var text = String(
            decoding: try SourceFile.read("\(SourceFile.root)/examples/rules/\(name).json"), as: UTF8.self)
        for change in changes { text.replace(change.old, with: change.new) }
        source = Array(text.utf8)
        var model = try RulesCompiler.model(of: source)
        if !changes.isEmpty { model.tests = [] }
        self.model = model
        bytes = model.pushed
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

    /// A request of a subscriber, as a service with a key of the app sees it.
    func request(_ key: UInt64, product: String, at now: Int64) -> DecisionRequest {
        DecisionRequest(
            appAppleId: model.appAppleId, environment: model.environment, productId: product,
            userLocale: "en-US", originalTransactionId: String(key), nowMilliseconds: now, signing: .all)
    }
}

/// A template with the facts of subscribers, as a worker has them.
struct BoundTemplate {
    let template: Template
    let facts: FactsFile
    private let binding: FactsBinding

    init(_ template: Template, _ rows: [(key: UInt64, values: [SubscriberFact: HistoryValue])]) throws {
        self.template = template
        facts = try FactsFile(bytes: template.facts(rows), check: .full)
        binding = try FactsBinding(rules: template.rules, facts: facts)
    }

    /// The decision of a worker and that of `explain`: the rule, nil for the default, and the message.
    func decisions(_ key: UInt64, product: String, at now: Int64) -> (worker: Decided, explained: Decided) {
        let request = template.request(key, product: product, at: now)
        let known = SubscriberFacts(of: String(key), in: facts, binding, ageSeconds: 60)
        let decision = decide(request, facts: known, using: template.rules)
        let explained = explain(request, facts: known, using: template.rules).decision
        return (Decided(decision, in: template.rules), Decided(explained, in: template.rules))
    }
}

struct Decided: Sendable, Hashable {
    let rule: String?
    let message: String?

    init(_ rule: String?, _ message: String?) { (self.rule, self.message) = (rule, message) }

    init(_ decision: Decision, in rules: RulesFile) {
        self.init(decision.ruleID(in: rules), decision.messageName(in: rules))
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
