internal import JSON
package import Rules
package import System

/// Finds parts of a source that compile, but that the author probably did not intend.
package enum Lint {
    /// Returns all lint findings about a source, in the order of the source.
    ///
    /// Windows and holdouts are over at `now`. `facts` are those of real subscribers, with which the rules are compared. Throws
    /// all errors of the source, when it does not compile.
    package static func findings(
        in source: [UInt8], now: Int64, options: RulesCompilerOptions = RulesCompilerOptions(),
        ignoring ignored: Set<LintCheck> = [], facts: LintFacts? = nil
    ) throws(RulesSourceError) -> [Finding] {
        let model = try RulesCompiler.model(of: source, options: options)
        let findings = collector(for: source, ignoring: ignored)
        UseLint(model: model, findings: findings).check()
        SplitLint(model: model, now: now, findings: findings).check()
        TimeLint(model: model, now: now, findings: findings).check()
        OutcomeLint(model: model, findings: findings).check()
        LocaleLint(model: model, findings: findings).check()
        PeriodLint(model: model, findings: findings).check()
        ReachLint(model: model, findings: findings).check()
        let places = MessagePlaces(model, source: source)
        ApprovalLint(model: model, findings: findings, places: places).check()
        if let facts { FactsLint(model: model, facts: facts, findings: findings).check() }
        return findings.sorted
    }

    /// Returns an empty collection for lint findings about a source.
    static func collector(for source: [UInt8], ignoring ignored: Set<LintCheck> = []) -> Findings {
        Findings(
            source: source.withoutByteOrderMark, subject: "lint", limit: RulesSourceLimits.findingCount,
            ignoring: Set(ignored.map(\.rawValue)))
    }
}

extension RulesModel {
    /// Every outcome with its path in the source: those of rules and arms, the default and the holdout.
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

    /// Every condition with its path in the source: those of rules and segments.
    var placedConditions: [(condition: Condition, path: JSONPath)] {
        let ofRules = rules.enumerated().compactMap { index, rule in
            rule.condition.map { ($0, [.member("rules"), .index(index), .member("when")] as JSONPath) }
        }
        let ofSegments = segments.map {
            ($0.condition, [.member("segments"), .member($0.name)] as JSONPath)
        }
        return ofRules + ofSegments
    }
}

extension Condition {
    /// Calls `body` with every predicate and every segment reference, and its path.
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
    /// Adds a lint finding about a value of a rules source, or about its key.
    func add(
        _ check: LintCheck, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: check, message, at: path, isKey: isKey, hint: hint())
    }
}
