import DataFiles
import Decisions
import Testing
import Vocabulary

/// Facts of this version are never missing; a fact number of a later version, which opening by structure lets
/// through, is.
@Suite("A missing fact")
struct UnknownTests {
    static let yes = Condition.equal(.productId, .string("p"))
    static let no = Condition.notEqual(.productId, .string("p"))
    /// Stands for the missing one: its fact's number is changed in the file.
    static let missing = Condition.equal(.originalTransactionId, .string("x"))
    static let missingPrefix = Condition.prefix(.originalTransactionId, "x")

    static let rows: [(Condition, Bool, UInt32)] = [
        (missing, false, 1), (.not(missing), false, 1), (missingPrefix, false, 1),
        (.not(missingPrefix), false, 1),
        (.notEqual(.originalTransactionId, .string("x")), false, 1),
        (.isIn(.originalTransactionId, [.string("x")]), false, 1),
        (.isNotIn(.originalTransactionId, [.string("x")]), false, 1),
        (.any([missing, yes]), true, 0), (.any([yes, missing]), true, 0), (.any([missing, no]), false, 1),
        (.any([no, missing]), false, 1), (.all([missing, yes]), false, 1), (.all([yes, missing]), false, 1),
        (.all([missing, no]), false, 0), (.all([no, missing]), false, 0),
        (.not(.all([missing, no])), true, 0),
        (.not(.any([missing, no])), false, 1), (.not(.not(missing)), false, 1),
    ]

    @Test("makes a predicate unknown, and Kleene's logic goes on from there", arguments: rows.indices)
    func kleene(row: Int) throws {
        let (condition, matches, unknown) = Self.rows[row]
        var model = RulesModel(appAppleId: 7, bundleId: "b", environment: .production)
        var rule = RulesModel.Rule(id: "r", outcome: .nothing)
        rule.condition = condition
        model.rules = [rule]
        var bytes = RulesFileWriter.write(model, stamp: ReferenceTests.stamp)
        let file = try RulesFile(bytes: bytes, check: .full)
        let section = try #require(
            file.header.sections.first { $0.kind == RulesSection.conditions.rawValue }
        )
        for node in stride(from: section.offset, to: section.offset + section.byteCount, by: 24)
        where bytes[node + 2] == UInt8(Fact.originalTransactionId.rawValue) { bytes[node + 2] = 8 }
        let damaged = try RulesFile(bytes: bytes, check: .structure)
        let request = DecisionRequest(
            appAppleId: 7,
            environment: .production,
            productId: "p",
            userLocale: "en",
            originalTransactionId: "x",
            nowMilliseconds: 0
        )
        let decision = decide(request, using: damaged)
        #expect((decision.reason == .targetingMatch) == matches)
        #expect(decision.skipped.unknownCondition == unknown)
    }
}
