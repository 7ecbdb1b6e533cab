import DataFiles
import Decisions
import Testing
import Vocabulary

@Suite("Draws that were not served")
struct AssignmentTests {
    /// Returns a rule whose rollout, if it has one, takes everyone or nobody, and whose only arm takes everyone.
    private static func rule(
        _ id: String, _ outcome: RulesModel.Outcome, isInRollout: Bool? = nil, hasArm: Bool = true
    ) -> RulesModel.Rule {
        let arms = [RulesModel.Arm(name: "\(id)-arm", weight: 10_000, outcome: outcome)]
        var rule =
            hasArm
            ? RulesModel.Rule(id: id, choice: .variants(.init(salt: "v", arms: arms)))
            : RulesModel.Rule(id: id, outcome: outcome)
        if let isInRollout {
            rule.rollout = .init(salt: "r", basisPoints: isInRollout ? 10_000 : 0)
        }
        return rule
    }

    /// Returns a file with two more messages: `foreign` in a locale that no request here has, and `pending`, which
    /// Apple has not approved.
    private static func file(_ change: (inout RulesModel) -> Void) throws -> RulesFile {
        RuleWorld.file { model in
            model.messages.append(
                .init(
                    name: "foreign", kind: .text,
                    identifiers: [.init(locale: "de-DE", identifier: UUID(high: 2, low: 0))])
            )
            model.messages.append(
                .init(
                    name: "pending", kind: .text,
                    identifiers: [
                        .init(locale: "en-US", identifier: UUID(high: 2, low: 1), unapproved: .pending)
                    ])
            )
            change(&model)
        }
    }

    private static let foreign = RulesModel.Outcome.message(4)
    private static let pending = RulesModel.Outcome.message(5)

    private static func texts(_ decision: Decision, _ file: RulesFile) -> [String] {
        decision.assigned.map { assignment in
            let names = [assignment.ruleID(in: file), assignment.armName(in: file)].map { $0 ?? "-" }
            return (names + [assignment.step.rawValue]).joined(separator: " ")
        }
    }

    @Test("have the rule, the arm and the failed step, in the order of the rules")
    func steps() throws {
        let file = try Self.file { model in
            model.caps = .init(maxAccepted: 1, acceptedFact: RuleWorld.count)
            model.rules = [
                Self.rule("capped", RuleWorld.offer),
                Self.rule("pending", Self.pending, isInRollout: true),
                Self.rule("foreign", Self.foreign, isInRollout: true, hasArm: false),
                Self.rule("served", .message(0), isInRollout: true),
                Self.rule("later", Self.foreign),
            ]
        }
        let decision = decide(RuleWorld.request(), facts: RuleWorld.facts(count: 1), using: file)
        #expect(decision.ruleID(in: file) == "served")
        #expect(
            Self.texts(decision, file) == [
                "capped capped-arm caps", "pending pending-arm approval", "foreign - locale",
            ]
        )
    }

    @Test("include a draw whose outcome could not be signed")
    func signing() throws {
        let file = try Self.file { $0.rules = [Self.rule("offer", RuleWorld.offer)] }
        let unsigned = decide(RuleWorld.request(signing: []), facts: RuleWorld.facts(), using: file)
        #expect(unsigned.reason == .signFailed)
        #expect(Self.texts(unsigned, file) == ["offer offer-arm signing"])
        let signed = decide(RuleWorld.request(), facts: RuleWorld.facts(), using: file)
        #expect(signed.armName(in: file) == "offer-arm" && signed.assigned.isEmpty)
    }

    @Test("include a rollout whose arm could not be drawn, but no rollout that left the subscriber out")
    func missingUnit() throws {
        let file = try Self.file { model in
            let arms = [RulesModel.Arm(name: "a", weight: 10_000, outcome: .message(0))]
            let variants = RulesModel.Variants(salt: "v", unit: RuleWorld.text, arms: arms)
            let bare = RulesModel.Rule(id: "bare", choice: .variants(variants))
            var inside = bare
            inside.id = "inside"
            inside.rollout = .init(salt: "r", basisPoints: 10_000)
            var outside = bare
            outside.id = "outside"
            outside.rollout = .init(salt: "r", basisPoints: 0)
            // This rule has neither variants nor a rollout, so there was no draw.
            let plain = RulesModel.Rule(id: "plain", outcome: Self.foreign)
            model.rules = [bare, inside, outside, plain, Self.rule("out", .message(0), isInRollout: false)]
        }
        let decision = decide(RuleWorld.request(), facts: RuleWorld.facts(), using: file)
        #expect(decision.reason == .noLocale)
        #expect(Self.texts(decision, file) == ["inside - arm"])
    }

    @Test("are listed up to the eighth")
    func limit() throws {
        for count in [7, 8, 9, 30] {
            let file = try Self.file { model in
                model.rules = (0..<count).map { Self.rule("r\($0)", Self.foreign) }
            }
            let decision = decide(RuleWorld.request(), facts: RuleWorld.facts(), using: file)
            #expect(decision.skipped.noLocale == UInt32(count))
            #expect(
                Self.texts(decision, file)
                    == (0..<min(count, 8)).map { "r\($0) r\($0)-arm locale" }
            )
        }
    }

    @Test("name the last of many rules and arms")
    func large() throws {
        // The bucket of this subscriber belongs to the last arm, which has all buckets from 299 on.
        let subscriber = try #require(
            (0..<100).map { "2\($0)" }.first { Bucketing.bucket(salt: "v", unit: $0) >= 299 }
        )
        let file = try Self.file { model in
            model.rules = (0..<300).map { number in
                RulesModel.Rule(id: "x\(number)", outcome: number == 0 ? Self.foreign : Self.pending)
            }
            let arms = (0..<300).map { number in
                RulesModel.Arm(name: "a\(number)", weight: number == 299 ? 9701 : 1, outcome: Self.foreign)
            }
            model.rules.append(.init(id: "many", choice: .variants(.init(salt: "v", arms: arms))))
        }
        let request = RuleWorld.request(transaction: subscriber)
        let decision = decide(request, facts: RuleWorld.facts(), using: file)
        #expect(Self.texts(decision, file) == ["many a299 locale"])
    }

    @Test("come from the shadow decision when the subscriber is held out")
    func heldOut() throws {
        let file = try Self.file { model in
            model.holdout = .init(split: .init(salt: "h", basisPoints: 10_000))
            model.rules = [Self.rule("foreign", Self.foreign), Self.rule("served", .message(0))]
        }
        let decision = decide(RuleWorld.request(), facts: RuleWorld.facts(), using: file)
        #expect(decision.isHeldOut && decision.shadow?.armName(in: file) == "served-arm")
        #expect(Self.texts(decision, file) == ["foreign foreign-arm locale"])
    }

    @Test("differ when the failed step differs")
    func equality() throws {
        let one = try Self.file { $0.rules = [Self.rule("a", Self.foreign)] }
        let other = try Self.file { $0.rules = [Self.rule("a", Self.pending)] }
        let decisions = [one, other, one].map {
            decide(RuleWorld.request(), facts: RuleWorld.facts(), using: $0).assigned
        }
        #expect(decisions[0] == decisions[2] && decisions[0] != decisions[1])
        #expect(decisions[0].hashValue == decisions[2].hashValue)
    }
}
