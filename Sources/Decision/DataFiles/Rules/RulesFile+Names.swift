internal import System
package import Vocabulary

package enum NamedPart {
    case rule(Int)
    /// An arm of a rule. Both are counted from 0.
    case arm(Int, ofRule: Int)
    case message(Int)
    /// A string of the file, which is its own name.
    case string(EntryReference)
}

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

    /// Returns the id of the rule with this number, counted from 0; nil when there is no such rule. Allocates a string.
    public func ruleID(at index: Int) -> String? { name(of: .rule(index)) }

    /// Returns the name of the message with this number, counted from 0; nil when there is no such message. Allocates a
    /// string.
    public func messageName(at index: Int) -> String? { name(of: .message(index)) }

    /// Returns the name of an arm of a rule, both counted from 0; nil when there is no such arm. Allocates a string.
    public func armName(at index: Int, ofRule rule: Int) -> String? { name(of: .arm(index, ofRule: rule)) }

    /// Returns a copy of a string of the file; nil when there is no such string or it is not UTF-8.
    package func string(_ reference: EntryReference) -> String? { name(of: .string(reference)) }

    private func name(of part: NamedPart) -> String? {
        withBytes { bytes in
            tables.name(of: part, bytes).flatMap { tables.strings.string($0, in: bytes) }
        }
    }

    /// Appends the name of a part to `text`, as the bytes that the file has, without making a `String`.
    ///
    /// - Returns: false when the file has no such part. Nothing is appended then.
    package func append(nameOf part: NamedPart, to text: inout TextBuffer) -> Bool {
        withBytes { bytes in
            guard let name = tables.name(of: part, bytes),
                let range = tables.strings.range(of: name, in: bytes)
            else { return false }
            return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text.append($0) } != nil
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
}

extension RulesTables {
    /// Returns the string that is the name of a part; nil when there is no such part.
    fileprivate func name(of part: NamedPart, _ bytes: RawSpan) -> EntryReference? {
        switch part {
        case .rule(let index): return rules.record(at: index, in: bytes)?.identifier
        case .message(let index): return messages.record(at: index, in: bytes)?.name
        case .string(let reference): return reference
        case .arm(let index, let rule):
            guard let steps = ruleSteps.record(at: rule, in: bytes), index >= 0, index < Int(steps.armCount)
            else { return nil }
            return arms.record(at: steps.firstArm.index + index, in: bytes)?.name
        }
    }

    /// Returns the kind of a fact's values; nil for a declared fact that the file does not have.
    func kind(of fact: Fact, _ bytes: RawSpan) -> ValueKind? {
        guard case .declared(let index) = fact else { return fact.builtInKind }
        return factDeclarations.record(at: index, in: bytes).flatMap {
            UInt8(exactly: $0.kind).flatMap(ValueKind.init(rawValue:))
        }
    }
}
