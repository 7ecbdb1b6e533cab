import DataFileWriting
import DataFiles
import RulesCompiler
import SubscriberHistory
import Support
import Testing
import Vocabulary

@Suite("Templates of rules", .timeLimit(.minutes(5)))
struct TemplateTests {
    @Test("decide as their texts say, on facts that follow from payloads", arguments: TemplateRow.all)
    func stories(row: TemplateRow) throws {
        var life = Life()
        row.life(&life)
        let now = Life.time(row.day)
        let facts = HistoryFacts(life.payloads, now: now)
        let bound = try BoundTemplate(Template(row.template), [(key: 2_000_000_001, values: facts.values)])
        let (worker, explained) = bound.decisions(2_000_000_001, product: "pro_monthly", at: now)
        #expect(worker.rule == row.rule, "\(facts.values)")
        #expect(explained == worker)
        #expect((row.rule == nil) == (worker.message == "value_reminder"))
    }

    @Test("have a story for each of their rules, and one that no rule is for", arguments: Template.names)
    func coverage(name: String) throws {
        let expected = Set(TemplateRow.all.filter { $0.template == name }.map(\.rule))
        #expect(expected == Set(try Template(name).model.rules.map { $0.id } + [nil]))
    }

    @Test("are clean for lint, also with the facts of ordinary subscribers", arguments: Template.names)
    func clean(name: String) throws {
        let template = try Template(name)
        let rows = (0..<60).map { number in
            let life = TemplateRow.ordinary(number)
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
}
