import Authoring
import Facts
@testable import Lives
import Rules
import SubscriberHistory
import Support
import System
import Testing

@Suite("Templates of rules")
struct TemplateTests {
    private static let rows = Result { try Story.read("Tests/SubscriberHistory/Templates.txt") }

    private static func meant(_ row: Story) -> (template: String, rule: String?) {
        let words = row.name.prefix { $0 != ":" }.split(separator: ", ").map(String.init)
        return (words[0], words[1] == "none" ? nil : words[1])
    }

    @Test("decide as their texts say, on facts that follow from payloads", arguments: try rows.get())
    func stories(row: Story) throws {
        let now = Life.time(row.days[0])
        let facts = HistoryFacts(row.payloads, now: now)
        let (template, rule) = Self.meant(row)
        let found = try Template(template).decision(facts.values, at: now)
        #expect(found.rule == rule, "\(facts.values)")
        #expect((rule == nil) == (found.message == "value_reminder"))
    }

    @Test("have a story for each of their rules, and one that no rule is for", arguments: Template.names)
    func coverage(name: String) throws {
        let expected = Set(try Self.rows.get().map(Self.meant).filter { $0.template == name }.map(\.rule))
        #expect(expected == Set(try Template(name).model.rules.map { $0.id } + [nil]))
    }

    @Test("are clean for lint, also with the facts of ordinary subscribers", arguments: Template.names)
    func clean(name: String) throws {
        let template = try Template(name)
        let rows = (0..<60).map { number in
            let life = Self.ordinary(number)
            let facts = HistoryFacts(life.payloads, now: life.now + Life.day)
            return (key: 2_000_000_000 + UInt64(number), values: facts.values)
        }
        let source = try SourceFile.read("\(SourceFile.root)/examples/rules/\(name).json")
        let facts = LintFacts(try FactsFile(bytes: template.facts(rows), check: .full))
        let findings = try Lint.findings(in: source, now: FactsTable.stamp.builtAtMilliseconds, facts: facts)
        #expect(findings.map(\.text) == [])
    }

    /// One of many subscribers as most apps have them: they renew, and some cancel, accept an offer, or leave and come back.
    private static func ordinary(_ number: Int) -> Life {
        let monthly = Plan(product: "pro_monthly")
        let annual = Plan(product: "pro_annual", days: 365, price: 99_990)
        var life = Life()
        life.buy(number % 4 == 3 ? annual : monthly, number % 5 == 4 ? .trial : nil)
        life.renew(number % 15)
        if number % 3 == 1 {
            life.now += 2 * Life.day
            life.cancel()
            life.now += Life.day
            life.resume()
        }
        if number % 7 == 6 {
            life.now += Life.day
            life.redeem(.promotional("save50_3m"))
            life.renew()
        }
        if number % 11 == 10 {
            life.now += Life.day
            life.cancel()
            life.expire()
            life.now += 20 * Life.day
            life.buy(monthly, .winBack)
            life.sync()
        }
        return life
    }
}

struct Template: Sendable {
    static let names = ["loyal-annual", "trial", "price-rise", "win-back", "once-in-180-days"]

    let model: RulesModel
    let rules: RulesFile

    init(_ name: String) throws {
        model = try RulesCompiler.model(of: SourceFile.read("\(SourceFile.root)/examples/rules/\(name).json"))
        rules = model.file
    }

    func facts(_ rows: [(key: UInt64, values: [SubscriberFact: FactValue])]) throws -> [UInt8] {
        var table = FactsTable(columns: model.facts.map { .init(name: $0.name, kind: $0.kind) })
        let facts = try model.facts.map { try #require(SubscriberFact(name: $0.name)) }
        table.rows = rows.map { row in
            (key: row.key, values: facts.map { row.values[$0].map(FactsTestValue.init) })
        }
        return try table.bytes()
    }

    /// The rule that decides for a subscriber with these facts, nil for the default; and the message.
    func decision(_ values: [SubscriberFact: FactValue], at now: Int64) throws -> (
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
    init(_ value: FactValue) {
        self =
            switch value {
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .date(let time): .date(time)
            case .string(let text): .string(text)
            }
    }
}
