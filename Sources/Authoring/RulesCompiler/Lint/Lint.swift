internal import DataFiles
internal import JSON
public import Vocabulary

/// Looks for what compiles and is probably not meant.
public enum Lint {
    /// Everything that is odd about a source, in its order.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - now: the present in milliseconds since 1970, which says what is over.
    ///   - options: what the compiler is told.
    ///   - ignored: what is not looked for.
    /// - Returns: the findings; at most ``RulesCompilerLimits/findingCount``, and one that counts the others.
    /// - Throws: everything that is wrong with the source, so that it does not compile.
    public static func findings(
        in source: [UInt8],
        now: Int64,
        options: RulesCompilerOptions = RulesCompilerOptions(),
        ignoring ignored: Set<LintCheck> = []
    ) throws(RulesCompilerError) -> [Finding] {
        let model = try RulesCompiler.model(of: source, options: options)
        let findings = collector(for: source, ignoring: ignored)
        UseLint(model: model, findings: findings).check()
        SplitLint(model: model, now: now, findings: findings).check()
        TimeLint(model: model, now: now, findings: findings).check()
        OutcomeLint(model: model, findings: findings).check()
        LocaleLint(model: model, findings: findings).check()
        ReachLint(model: model, findings: findings).check()
        ApprovalLint(model: model, findings: findings).check()
        return findings.sorted
    }

    /// Collects what is found in a source.
    static func collector(for source: [UInt8], ignoring ignored: Set<LintCheck> = []) -> Findings {
        Findings(
            source: source.withoutByteOrderMark,
            subject: "lint",
            limit: RulesCompilerLimits.findingCount,
            ignoring: Set(ignored.map(\.rawValue))
        )
    }
}

extension RulesModel {
    /// Every outcome with the way to it: of rules and arms, of the default and of the holdout.
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

    /// Every condition with the way to it: of rules and of segments.
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
    /// Calls `body` with every predicate and segment, and the way to it.
    func forEachLeaf(_ path: JSONPath, _ body: (Condition, JSONPath) -> Void) {
        switch self {
        case .all(let children):
            for (index, child) in children.enumerated() {
                child.forEachLeaf(path + [.member("all"), .index(index)], body)
            }
        case .any(let children):
            for (index, child) in children.enumerated() {
                child.forEachLeaf(path + [.member("any"), .index(index)], body)
            }
        case .not(let child): child.forEachLeaf(path + [.member("not")], body)
        case .segment, .predicate: body(self, path)
        }
    }
}
