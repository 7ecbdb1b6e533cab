extension RulesFile {
    /// The facts that the rules declare, in the order of their numbers.
    public var declaredFacts: [(name: String, kind: ValueKind)] {
        withBytes { bytes in
            (0..<tables.factDeclarations.count).compactMap { index in
                guard let record = tables.factDeclarations.record(at: index, in: bytes),
                    let name = tables.strings.string(record.name, in: bytes),
                    let kind = UInt8(exactly: record.kind).flatMap(ValueKind.init(rawValue:))
                else { return nil }
                return (name, kind)
            }
        }
    }

    /// Returns the kind of a fact's values; nil for a declared fact that the file does not have.
    public func kind(of fact: Fact) -> ValueKind? {
        withBytes { tables.kind(of: fact, $0) }
    }

    /// Returns the name of a fact in the rules language; nil for a declared fact that the file does not have. Allocates
    /// a string.
    public func name(of fact: Fact) -> String? {
        guard case .declared(let index) = fact else { return fact.builtInName }
        return withBytes { bytes in
            tables.factDeclarations.record(at: index, in: bytes).flatMap {
                tables.strings.string($0.name, in: bytes)
            }
        }
    }

    /// Returns the name of the segment with this number, counted from 0; nil when there is no such segment.
    public func segmentName(at index: Int) -> String? {
        withBytes { bytes in
            tables.segments.record(at: index, in: bytes).flatMap { tables.strings.string($0.name, in: bytes) }
        }
    }

    /// Returns the name of an arm of a rule, both counted from 0; nil when there is no such arm.
    public func armName(at index: Int, ofRule rule: Int) -> String? {
        withBytes { bytes in
            guard let steps = tables.ruleSteps.record(at: rule, in: bytes), index >= 0,
                index < Int(steps.armCount),
                let arm = tables.arms.record(at: steps.firstArm.index + index, in: bytes)
            else { return nil }
            return tables.strings.string(arm.name, in: bytes)
        }
    }

    /// Returns the number of arms of the rule with this number, counted from 0; 0 for a rule without arms and when there is
    /// no such rule.
    public func armCount(ofRule rule: Int) -> Int {
        withBytes { bytes in
            guard let steps = tables.ruleSteps.record(at: rule, in: bytes), !steps.variants.isNone else {
                return 0
            }
            return Int(steps.armCount)
        }
    }

    /// Returns true when the rule with this number, counted from 0, has a rollout.
    public func hasRollout(rule: Int) -> Bool {
        withBytes { bytes in tables.ruleSteps.record(at: rule, in: bytes).map { !$0.rollout.isNone } ?? false
        }
    }

    /// The tests that the author put into the file.
    public var embeddedTests: [RulesModel.EmbeddedTest] {
        withBytes { bytes in
            (0..<tables.tests.count).compactMap { ModelReader(tables: tables).test(at: $0, bytes) }
        }
    }
}

extension RulesTables {
    /// Returns the kind of a fact's values; nil for a declared fact that the file does not have.
    func kind(of fact: Fact, _ bytes: RawSpan) -> ValueKind? {
        guard case .declared(let index) = fact else { return fact.builtInKind }
        return factDeclarations.record(at: index, in: bytes).flatMap {
            UInt8(exactly: $0.kind).flatMap(ValueKind.init(rawValue:))
        }
    }
}
