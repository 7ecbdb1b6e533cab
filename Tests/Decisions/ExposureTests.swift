import DataFiles
import Decisions
import Testing
import Vocabulary

@Suite("Holdout, rollout and arms")
struct ExposureTests {
    static let subscribers = (0..<4000).map { String(2_000_000_000 + $0 * 37) }

    private static func served(_ file: RulesFile) -> [String: String] {
        var served: [String: String] = [:]
        for subscriber in subscribers {
            let request = RuleWorld.request(transaction: subscriber)
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            if decision.ruleIndex != nil { served[subscriber] = decision.messageName(in: file) ?? "none" }
        }
        return served
    }

    private static func file(rollout: Int, rule: String = "r", arms: [String] = ["one", "two"]) throws
        -> RulesFile
    {
        RuleWorld.file { model in
            model.rules = [Self.halves(rule, arms, rollout: rollout)]
        }
    }

    /// Returns a rule that serves a text to half of its rollout and a switch to the other half.
    private static func halves(_ rule: String, _ arms: [String], rollout: Int) -> RulesModel.Rule {
        let outcomes: [RulesModel.Outcome] = [
            .message(0), .switch(message: 1, productId: "q", billingPlanType: .monthly),
        ]
        let arms = zip(arms, outcomes).map { RulesModel.Arm(name: $0, weight: 5000, outcome: $1) }
        var rule = RulesModel.Rule(id: rule, choice: .variants(.init(salt: "arms", arms: arms)))
        rule.rollout = .init(salt: "rollout", basisPoints: rollout)
        return rule
    }

    @Test("only add subscribers when a rollout is raised, and change nothing for all others")
    func raising() throws {
        var before: [String: String] = [:]
        for share in [0, 1, 100, 2500, 5000, 9999, 10_000] {
            let served = Self.served(try Self.file(rollout: share))
            for (subscriber, message) in before { #expect(served[subscriber] == message) }
            let expected = Double(share) / 10_000 * Double(Self.subscribers.count)
            #expect(abs(Double(served.count) - expected) < 130)
            before = served
        }
        #expect(before.count == Self.subscribers.count)
    }

    @Test("serve everybody the same when a rule or an arm is renamed")
    func renaming() throws {
        let before = Self.served(try Self.file(rollout: 3000))
        #expect(Self.served(try Self.file(rollout: 3000, rule: "another")) == before)
        #expect(Self.served(try Self.file(rollout: 3000, arms: ["x", "a_longer_name"])) == before)
        #expect(Set(before.values) == ["text", "switch"])
    }

    @Test("are independent of each other")
    func independence() throws {
        let file = RuleWorld.file { model in
            model.holdout = .init(split: .init(salt: "holdout", basisPoints: 5000))
            model.rules = [Self.halves("r", ["one", "two"], rollout: 5000)]
        }
        // Rows: not held out, held out. Columns: not in the rollout, arm `one`, arm `two`.
        var cells = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        let count = 20_000
        for number in 0..<count {
            let request = RuleWorld.request(transaction: String(2_000_000_000 + number))
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            let arm = decision.isHeldOut ? decision.shadow?.armName(in: file) : decision.armName(in: file)
            let column = arm == nil ? 0 : arm == "one" ? 1 : 2
            cells[decision.isHeldOut ? 1 : 0][column] += 1
        }
        // Independent halves: in each row a quarter of all outside the rollout, and an eighth of all for each arm.
        let expected = [0.25, 0.125, 0.125].map { $0 * Double(count) }
        var statistic = 0.0
        for row in cells {
            for (found, expected) in zip(row, expected) {
                statistic += (found - expected) * (found - expected) / expected
            }
        }
        // A chi-square statistic with five degrees of freedom exceeds this value once in a million times.
        #expect(statistic < 36, "\(cells)")
    }

    @Test("leave out a subscriber whose unit is missing: not held out, not in the rollout, no arm")
    func missingUnit() throws {
        let everyone = RulesModel.Split(salt: "s", unit: RuleWorld.text, basisPoints: 10_000)
        let file = RuleWorld.file { model in
            model.holdout = .init(split: everyone)
            var rollout = RulesModel.Rule(id: "rollout", outcome: .message(0))
            rollout.rollout = everyone
            let arms = [RulesModel.Arm(name: "a", weight: 10_000, outcome: .message(0))]
            let variants = RulesModel.Variants(salt: "v", unit: RuleWorld.text, arms: arms)
            model.rules = [rollout, .init(id: "arms", choice: .variants(variants))]
            model.defaultOutcome = .message(0)
        }
        let without = decide(RuleWorld.request(), facts: RuleWorld.facts(), using: file)
        #expect(without.reason == .default)
        #expect(without.skipped.notInRollout == 1)
        #expect(without.skipped.noArm == 1)
        let with = decide(RuleWorld.request(), facts: RuleWorld.facts(text: "x"), using: file)
        #expect(with.reason == .holdout)
        #expect(with.shadow?.ruleID(in: file) == "rollout")
        #expect(with.shadow?.reason == .split)
    }

    @Test("hide the rules from held-out subscribers until the holdout ends, and report the shadow decision")
    func holdout() throws {
        for (until, isOver) in [(RuleWorld.now + 1, false), (RuleWorld.now, true), (RuleWorld.now - 1, true)]
        {
            let file = RuleWorld.file { model in
                model.holdout = .init(
                    split: .init(salt: "s", basisPoints: 10_000), until: until, outcome: .message(0))
                let change = RulesModel.Outcome.switch(message: 1, productId: "q", billingPlanType: nil)
                model.rules = [.init(id: "r", outcome: change)]
            }
            let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
            #expect(decision.isHeldOut == !isOver)
            #expect(decision.messageName(in: file) == (isOver ? "switch" : "text"))
            #expect(decision.ruleID(in: file) == (isOver ? "r" : nil))
            #expect(decision.shadow?.messageName(in: file) == (isOver ? nil : "switch"))
        }
    }

    @Test("skip an outcome that cannot be signed")
    func signing() throws {
        let file = RuleWorld.file { model in
            model.rules = [
                .init(id: "offer", outcome: RuleWorld.offer),
                .init(id: "commerce", outcome: .advancedCommerce(message: 3, request: "{}")),
            ]
        }
        let facts = SubscriberFacts.none(ageSeconds: nil)
        let first = decide(RuleWorld.request(), facts: facts, using: file)
        #expect(first.ruleID(in: file) == "offer")
        let second = decide(RuleWorld.request(signing: .advancedCommerce), facts: facts, using: file)
        #expect(second.ruleID(in: file) == "commerce")
        #expect(second.skipped.signFailed == 1)
        #expect(decide(RuleWorld.request(signing: .offers), facts: facts, using: file) == first)
        let none = decide(RuleWorld.request(signing: []), facts: facts, using: file)
        #expect(none.reason == .signFailed)
        #expect(none.skipped.signFailed == 2)
    }

    @Test("skip a message that is not approved, or serve an approved locale of it instead")
    func approval() throws {
        for (last, message, reason) in [
            ("de-DE", "text" as String?, DecisionReason.targetingMatch), (nil, nil, .unapproved),
        ] {
            let file = RuleWorld.file { model in
                model.messages[0].identifiers[0].unapproved = .pending
                let german = RulesModel.LocalizedIdentifier(
                    locale: "de-DE", identifier: .init(high: 9, low: 9))
                model.messages[0].identifiers.append(german)
                model.lastLocale = last
                model.rules = [.init(id: "r", outcome: .message(0))]
            }
            let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
            #expect(decision.messageName(in: file) == message)
            #expect(decision.reason == reason)
            #expect(decision.skipped.unapproved == (message == nil ? 1 : 0))
        }
    }

    @Test("skip the rule when the first locale is not approved and the message says `pass`")
    func whenUnapprovedIsPass() throws {
        let german = RulesModel.LocalizedIdentifier(locale: "de-DE", identifier: .init(high: 9, low: 9))
        func decided(_ maskedPlace: Int, passes: Bool, locale: String) throws -> (Decision, [String]) {
            let file = RuleWorld.file { model in
                model.messages[0].identifiers.append(german)
                model.messages[0].identifiers[maskedPlace].unapproved = .pending
                model.messages[0].failsWhenUnapproved = passes
                model.localeFallbacks = [.init(locale: "de-AT", fallback: "de-DE")]
                model.lastLocale = "en-US"
                model.rules = [.init(id: "r", outcome: .message(0))]
            }
            var request = RuleWorld.request()
            request.userLocale = locale
            let facts = SubscriberFacts.none(ageSeconds: nil)
            let lines = explain(request, facts: facts, using: file).lines
            let approval = lines.filter { $0.step == "approval" }.map(\.result)
            return (decide(request, facts: facts, using: file), approval)
        }
        // German is not approved. Subscribers get English, or nothing by this rule, also when a fallback leads to
        // German.
        for locale in ["de-DE", "de-AT"] {
            let (other, otherApproval) = try decided(1, passes: false, locale: locale)
            #expect(other.outcome == .serve(.message, messageIdentifier: .init(high: 1, low: 0)))
            #expect(otherApproval == ["yes"])
            let (none, approval) = try decided(1, passes: true, locale: locale)
            #expect(none.outcome == .nothing && none.reason == .unapproved)
            #expect(none.skipped.unapproved == 1)
            #expect(approval == ["no: de-DE (whenUnapproved is pass)"])
        }
        // An approved locale is served, whichever other locale is not approved.
        let (english, _) = try decided(1, passes: true, locale: "en-US")
        #expect(english.reason == .targetingMatch)
        let (before, _) = try decided(0, passes: true, locale: "de-AT")
        #expect(before.outcome == .serve(.message, messageIdentifier: .init(high: 9, low: 9)))
    }
}
