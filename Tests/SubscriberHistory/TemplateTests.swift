import Authoring
import Facts
import Rules
import SubscriberHistory
import Support
import System
import Testing

@Suite("Templates of rules")
struct TemplateTests {
    private static let rows = Result { try Story.read("Tests/SubscriberHistory/Templates.txt") }

    /// The template and the rule of a row, which its name begins with.
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

    @Test("read facts that follow from the store, with the types that these have")
    func facts() throws {
        for name in Template.names {
            for fact in try Template(name).model.facts {
                let known = try #require(SubscriberFact(name: fact.name), "\(name): \(fact.name)")
                let kinds = ["int": "integer", "bool": "boolean", "date": "date"]
                #expect(fact.kind.name == kinds[known.type] ?? "string", "\(name): \(fact.name)")
            }
        }
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
