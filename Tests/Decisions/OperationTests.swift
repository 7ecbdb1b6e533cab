import Authoring
@testable import Facts
@testable import Rules
import Support
import System
import Testing

/// One predicate in a source, a value of its fact for which it is true, and a value for which it is false.
private struct OperationRow {
    let operation: ConditionOperation
    let kind: ValueKind
    let operand: String
    /// What `explain` shows for the operand.
    let shown: String
    let trueOf: FactValue
    let falseOf: FactValue

    init(
        _ operation: ConditionOperation, _ kind: ValueKind, _ operand: String, shows shown: String? = nil,
        trueOf: FactValue, falseOf: FactValue
    ) {
        self.operation = operation
        self.kind = kind
        self.operand = operand
        self.shown = shown ?? operand
        self.trueOf = trueOf
        self.falseOf = falseOf
    }

    static let day: Int64 = 86_400_000
    static let now: Int64 = 1_795_219_200_000
    static let all: [OperationRow] = [
        OperationRow(.equal, .string, #""a""#, trueOf: .string("a"), falseOf: .string("ab")),
        OperationRow(.notEqual, .integer, "3", trueOf: .integer(4), falseOf: .integer(3)),
        OperationRow(
            .isIn,
            .string,
            #"["a", "b"]"#,
            trueOf: .string("b"),
            falseOf: .string("c")
        ),
        OperationRow(.isNotIn, .integer, "[1, 2]", trueOf: .integer(3), falseOf: .integer(2)),
        OperationRow(.greater, .integer, "3", trueOf: .integer(4), falseOf: .integer(3)),
        OperationRow(.greaterOrEqual, .integer, "3", trueOf: .integer(3), falseOf: .integer(2)),
        OperationRow(.less, .integer, "3", trueOf: .integer(2), falseOf: .integer(3)),
        OperationRow(.lessOrEqual, .integer, "3", trueOf: .integer(3), falseOf: .integer(4)),
        OperationRow(.between, .integer, "[1, 3]", trueOf: .integer(3), falseOf: .integer(4)),
        OperationRow(.exists, .boolean, "true", trueOf: .boolean(false), falseOf: .boolean(true)),
        OperationRow(.prefix, .string, #""ab""#, trueOf: .string("abc"), falseOf: .string("ba")),
        OperationRow(
            .olderThanDays, .date, "2", trueOf: .date(now - 2 * day - 1), falseOf: .date(now - 2 * day)),
        OperationRow(
            .youngerThanDays, .date, "2", trueOf: .date(now - 2 * day + 1), falseOf: .date(now - 2 * day)),
    ]

    var source: String {
        let type = [ValueKind.string: "string", .date: "date", .integer: "int", .boolean: "bool"][kind] ?? ""
        return #"""
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "b" }, "environment": "Production",
              "facts": { "x": "\#(type)" },
              "messages": { "m": { "kind": "text",
                "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } },
              "rules": [ { "id": "r", "when": { "fact": "x", "\#(operation.word)": \#(operand) }, "serve": { "message": "m" } } ] }
            """#
    }
}

/// These tests tell a contributor who adds an operation what is missing.
@Suite("Every operation of the rules language")
struct OperationTests {
    private static func row(_ operation: ConditionOperation) throws -> OperationRow {
        try #require(OperationRow.all.first { $0.operation == operation }, "no row for this operation")
    }

    @Test("has a word and synonyms that no other operation has")
    func words() {
        let words = ConditionOperation.allCases.map(\.word)
        #expect(Set(words).count == words.count)
        let synonyms = ConditionOperation.allCases.flatMap(\.synonyms)
        #expect(Set(synonyms).count == synonyms.count && Set(synonyms).isDisjoint(with: words))
        for synonym in synonyms { #expect(synonym == synonym.lowercased().filter { $0 != "_" }) }
    }

    @Test("is compiled, decided and explained", arguments: ConditionOperation.predicates)
    func everyWay(operation: ConditionOperation) throws {
        let row = try Self.row(operation)
        let rules = try RulesCompiler.resolve(Array(row.source.utf8))
        let (model, file) = (rules.model, rules.file)
        let request = DecisionRequest(
            appAppleId: 7, environment: .production, productId: "p", userLocale: "en-US",
            originalTransactionId: "1", nowMilliseconds: OperationRow.now)
        guard case .predicate(let predicate)? = model.rules.first?.condition else {
            Issue.record("no predicate")
            return
        }
        #expect(predicate.operation == operation)
        // For a missing value, only `exists` has a result. For any present value, its result is true.
        let other: FactValue? = operation == .exists ? nil : row.falseOf
        for (value, isTrue) in [(row.trueOf, true), (other, false)] {
            let facts = SubscriberFacts.literal([value], ageSeconds: 60)
            let decision = decide(request, facts: facts, using: file)
            #expect((decision.ruleIndex == 0) == isTrue, "\(String(describing: value))")
            guard let value else { continue }
            // Where the compilers' evaluation has a result, it agrees with the server's.
            if let reasoned = predicate.isTrue(of: value) { #expect(reasoned == isTrue) }
            let lines = explain(request, facts: facts, using: file).lines.map(\.step)
            #expect(lines.contains("x \(operation.word) \(row.shown)"), "\(lines)")
        }
        let unknown = decide(request, facts: .literal([nil], ageSeconds: 60), using: file)
        #expect(unknown.skipped.unknownCondition == (operation == .exists ? 0 : 1))
    }

    @Test("is refused on a fact of a kind that it does not fit", arguments: ConditionOperation.predicates)
    func misfit(operation: ConditionOperation) throws {
        let row = try Self.row(operation)
        for kind in ValueKind.allCases where !operation.fits(kind) {
            let source = OperationRow(operation, kind, row.operand, trueOf: row.trueOf, falseOf: row.falseOf)
                .source
            let error = #expect(throws: RulesSourceError.self) {
                try RulesCompiler.model(of: Array(source.utf8))
            }
            #expect(error?.findings.map(\.code) == ["rules.wrong-kind"], "\(kind)")
        }
    }
}
