internal import Facts
internal import JSON
package import Rules
package import System

/// A lint check. The code of its findings is `lint.` followed by the raw value.
package enum LintCheck: String, FindingReason, CaseIterable {
    case unreachableRule = "unreachable-rule"
    /// Two rules for the same subscribers, the first of which takes the beginning or the end of the other's window.
    case overlappingWindows = "overlapping-windows"
    /// A salt that two splits share. The splits are then not independent.
    case repeatedSalt = "repeated-salt"
    /// A product whose subscribers get no message in a locale that the source names.
    case missingLocale = "missing-locale"
    case unusedMessage = "unused-message"
    case unusedSegment = "unused-segment"
    case unusedFact = "unused-fact"
    /// A locale of a message that Apple has not approved: its subscribers get another language, or nothing.
    case pendingLocale = "pending-locale"
    /// A test that passes only after Apple has approved the messages that it expects.
    case testAwaitsApproval = "test-awaits-approval"
    case offerWithoutCap = "offer-without-cap"
    case expiredWindow = "expired-window"
    case untestedRule = "untested-rule"
    case switchGroup = "switch-group"
    case undeclaredProduct = "undeclared-product"
    /// A declared fact that the facts file lacks, or has with another type.
    case factNotInFacts = "fact-not-in-facts"
    /// A fact by which subscribers are drawn, and of which more than 1 percent of them have the same value.
    case sharedUnit = "shared-unit"
    /// A text with which rules compare a fact, and that no subscriber has.
    case valueNeverOccurs = "value-never-occurs"
    /// A number beyond those of all subscribers, which a count may reach and a price may have later.
    case numberNotSeen = "number-not-seen"
    case moreFindings = "more-findings"

    package var severity: Finding.Severity {
        switch self {
        // A facts file may hold more facts than today's rules read, and `facts` is its schema.
        case .unusedFact, .numberNotSeen, .moreFindings: .note
        default: .warning
        }
    }
}

/// Finds parts of a source that compile, but that the author probably did not intend.
package enum Lint {
    /// In the order of the source. Throws all errors of the source, when it does not compile.
    package static func findings(
        in source: [UInt8], now: Int64, options: RulesCompilerOptions = RulesCompilerOptions(),
        ignoring ignored: Set<LintCheck> = [], facts: LintFacts? = nil
    ) throws(RulesSourceError) -> [Finding] {
        let model = try RulesCompiler.model(of: source, options: options)
        let findings = collector(for: source, ignoring: ignored)
        UseLint(model: model, now: now, findings: findings).check()
        OutcomeLint(model: model, findings: findings).check()
        LocaleLint(model: model, findings: findings).check()
        ReachLint(model: model, findings: findings).check()
        reportPending(ResolvedRules(text: [], model: model), source, findings)
        if let facts { FactsLint(model: model, facts: facts, findings: findings).check() }
        return findings.sorted
    }

    static func collector(for source: [UInt8], ignoring ignored: Set<LintCheck> = []) -> Findings {
        Findings(
            source: source.withoutByteOrderMark, subject: "lint", limit: RulesSourceLimits.findingCount,
            ignoring: Set(ignored.map(\.rawValue)))
    }
}

extension RulesModel {
    /// Those of rules and arms, the default and the holdout.
    var placedOutcomes: [(outcome: Outcome, path: JSONPath, rule: Int?)] {
        var places: [(outcome: Outcome, path: JSONPath, rule: Int?)] = []
        for (index, rule) in rules.enumerated() {
            let path: JSONPath = [.member("rules"), .index(index)]
            switch rule.choice {
            case .outcome(let outcome): places.append((outcome, path + [.member("serve")], index))
            case .variants(let variants):
                let arms = path + [.member("variants"), .member("arms")]
                for (place, arm) in variants.arms.enumerated() {
                    places.append((arm.outcome, arms + [.index(place), .member("serve")], index))
                }
            }
        }
        if let outcome = defaultOutcome {
            places.append((outcome, [.member("default"), .member("serve")], nil))
        }
        if let holdout { places.append((holdout.outcome, [.member("holdout"), .member("serve")], nil)) }
        return places
    }

    var placedConditions: [(condition: Condition, path: JSONPath)] {
        let ofRules = rules.enumerated().compactMap { index, rule in
            rule.condition.map { ($0, [.member("rules"), .index(index), .member("when")] as JSONPath) }
        }
        let ofSegments = segments.map {
            ($0.condition, [.member("segments"), .member($0.name)] as JSONPath)
        }
        return ofRules + ofSegments
    }

    var placedSplits: [(split: (salt: String, unit: Fact), path: JSONPath)] {
        var splits: [(split: (salt: String, unit: Fact), path: JSONPath)] = []
        if let split = holdout?.split { splits.append(((split.salt, split.unit), [.member("holdout")])) }
        for (index, rule) in rules.enumerated() {
            let path: JSONPath = [.member("rules"), .index(index)]
            if let rollout = rule.rollout {
                splits.append(((rollout.salt, rollout.unit), path + [.member("rollout")]))
            }
            if case .variants(let variants) = rule.choice {
                splits.append(((variants.salt, variants.unit), path + [.member("variants")]))
            }
        }
        return splits
    }
}

extension Condition {
    func forEachLeaf(_ path: JSONPath, _ body: (Condition, JSONPath) -> Void) {
        let inner = path + [.member(operation.word)]
        switch self {
        case .all(let children), .any(let children):
            for (index, child) in children.enumerated() { child.forEachLeaf(inner + [.index(index)], body) }
        case .not(let child): child.forEachLeaf(inner, body)
        case .segment, .predicate: body(self, path)
        }
    }
}

extension Findings {
    func add(
        _ check: LintCheck, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: check, message, at: path, isKey: isKey, hint: hint())
    }
}
