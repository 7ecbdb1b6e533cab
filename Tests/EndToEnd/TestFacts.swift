import DataFileWriting
import DataFiles
import Support
import System
import Vocabulary

/// Facts of the subscribers in these tests, and rules that use these facts: a subscriber with the plan `old` gets the
/// old message of ``TestRules``, every other subscriber gets the new message.
enum TestFacts {
    static let columns: [FactsBuilder.Column] = [
        .init(name: "paidPeriods", kind: .integer), .init(name: "plan", kind: .string),
    ]

    /// Pushes the rules that test the plan.
    static func pushRules(to tester: Tester) throws {
        guard let old = UUID(TestRules.old.rawValue), let new = UUID(TestRules.new.rawValue) else {
            throw Complaint("not a UUID")
        }
        var model = RulesModel(
            appAppleId: TestPayload.appAppleId, bundleId: "com.example.app", environment: .production)
        model.facts = [.init(name: "plan", kind: .string)]
        model.lastLocale = "en-US"
        model.messages = [
            .init(name: "old", kind: .text, identifiers: [.init(locale: "en-US", identifier: old)]),
            .init(name: "new", kind: .text, identifiers: [.init(locale: "en-US", identifier: new)]),
        ]
        var rule = RulesModel.Rule(id: "old_plan", outcome: .message(0))
        rule.condition = .equal(.declared(0), .string("old"))
        model.rules = [rule]
        model.defaultOutcome = .message(1)
        try AtomicFile.write(model.pushed.span, to: tester.rulesPath)
    }

    /// The bytes of a facts file in which all subscribers have this plan.
    static func compiled(plan: TestRules, columns: [FactsBuilder.Column] = columns) throws -> [UInt8] {
        var builder = FactsBuilder(columns: columns)
        let text = plan == .old ? "old" : "new"
        for number in 0..<2000 {
            builder.set(Int64(number % 30), column: 0)
            if columns.count > 1 { try builder.set(text.utf8Span.span, column: 1) }
            builder.commit(key: 2_000_000_000 + UInt64(number), line: number + 2)
        }
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: TestPayload.appAppleId, environment: .production,
            stamp: DataFileStamp(builtAtMilliseconds: Clock.wallMilliseconds(), writerVersion: "tests"))
        try builder.write(making, to: &output)
        return output.bytes
    }

    /// Pushes the file as rsync does.
    static func push(_ plan: TestRules, to tester: Tester) throws {
        let bytes = try compiled(plan: plan)
        try AtomicFile.write(bytes.span, to: path(tester))
    }

    static func path(_ tester: Tester) -> String { tester.folder.path(of: "data/app.facts") }
}
