internal import DataFiles
internal import RulesReading

/// A condition in a form that can be compared with others. Only predicates are negated, and predicates with the same
/// meaning are equal. The formula is true, false or unknown exactly when the condition is, because De Morgan's laws
/// hold in Kleene's three-valued logic.
indirect enum Formula: Hashable {
    /// All parts must be true.
    case all([Formula])
    /// At least one case must be true.
    case any([Formula])
    /// The condition of a segment, or its negation.
    case segment(Int, isTrue: Bool)
    /// A predicate on a fact.
    case leaf(Fact, Leaf)

    /// The statement of a predicate about the value of its fact.
    enum Leaf: Hashable {
        /// The fact has a value, or has none.
        case exists(Bool)
        /// The value is in the list, or is not.
        case list(Set<FactValue>, isIn: Bool)
        /// The value has a part, as the operation says it, or does not have it: a prefix, for example. What is a part of
        /// a part is a part of the whole.
        case part(ConditionOperation, ByteComparedString, holds: Bool)
        /// The value lies between two numbers, both included. Never true when the first is greater than the second.
        case range(low: Int64, high: Int64)
        /// The time since the value, in milliseconds, lies between two numbers, both included.
        case age(low: Int64, high: Int64)
    }

    /// Converts a condition, or with `isTrue: false` its negation.
    init(_ condition: Condition, isTrue: Bool = true) {
        switch condition {
        case .all(let children):
            let parts = children.map { Formula($0, isTrue: isTrue) }
            self = isTrue ? .all(parts) : .any(parts)
        case .any(let children):
            let parts = children.map { Formula($0, isTrue: isTrue) }
            self = isTrue ? .any(parts) : .all(parts)
        case .not(let child): self = Formula(child, isTrue: !isTrue)
        case .segment(let place): self = .segment(place, isTrue: isTrue)
        case .predicate(let predicate): self = Self.predicate(predicate, isTrue: isTrue)
        }
    }

    private static func predicate(_ predicate: Predicate, isTrue: Bool) -> Formula {
        let (fact, operands) = (predicate.fact, predicate.operands)
        guard let first = operands.first, let last = operands.last else { return .any([]) }
        switch predicate.operation {
        // A predicate never has these operations; they belong to groups and segments.
        case .all, .any, .not, .segment: return .any([])
        case .equal, .isIn: return list(fact, operands, isIn: isTrue)
        case .notEqual, .isNotIn: return list(fact, operands, isIn: !isTrue)
        case .prefix:
            guard case .string(let text) = first else { return .any([]) }
            return .leaf(fact, .part(predicate.operation, ByteComparedString(text), holds: isTrue))
        case .exists: return .leaf(fact, .exists(first == .boolean(isTrue)))
        case .greater: return isTrue ? above(fact, first) : upTo(fact, first)
        case .lessOrEqual: return isTrue ? upTo(fact, first) : above(fact, first)
        case .less: return isTrue ? below(fact, first) : from(fact, first)
        case .greaterOrEqual: return isTrue ? from(fact, first) : below(fact, first)
        case .between:
            return isTrue
                ? .all([from(fact, first), upTo(fact, last)])
                : .any([below(fact, first), above(fact, last)])
        case .olderThanDays:
            let age = (first.rank ?? 0) * day
            return .leaf(fact, isTrue ? .age(low: age + 1, high: .max) : .age(low: .min, high: age))
        case .youngerThanDays:
            let age = (first.rank ?? 0) * day
            return .leaf(fact, isTrue ? .age(low: .min, high: age - 1) : .age(low: age, high: .max))
        }
    }

    private static let day: Int64 = 86_400_000

    private static func list(_ fact: Fact, _ values: [FactValue], isIn: Bool) -> Formula {
        // A Boolean that is not false is true, and the other way round.
        if !isIn, values.count == 1, case .boolean(let flag) = values[0] {
            return .leaf(fact, .list([.boolean(!flag)], isIn: true))
        }
        return .leaf(fact, .list(Set(values), isIn: isIn))
    }

    private static func from(_ fact: Fact, _ value: FactValue) -> Formula {
        .leaf(fact, .range(low: value.rank ?? .min, high: .max))
    }

    private static func upTo(_ fact: Fact, _ value: FactValue) -> Formula {
        .leaf(fact, .range(low: .min, high: value.rank ?? .max))
    }

    private static func above(_ fact: Fact, _ value: FactValue) -> Formula {
        let number = value.rank ?? .min
        return .leaf(
            fact, number == .max ? .range(low: .max, high: .min) : .range(low: number + 1, high: .max))
    }

    private static func below(_ fact: Fact, _ value: FactValue) -> Formula {
        let number = value.rank ?? .max
        return .leaf(
            fact, number == .min ? .range(low: .max, high: .min) : .range(low: .min, high: number - 1))
    }
}

extension Formula.Leaf {
    /// The number of values that the predicate compares with. It is the cost, in steps, of reading the predicate.
    var valueCount: Int {
        if case .list(let values, _) = self { max(1, values.count) } else { 1 }
    }

    /// Returns true when `other` is true wherever this predicate is true. Returns false when it cannot tell.
    func implies(_ other: Formula.Leaf) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.exists, _): return false
        // A missing fact makes only `exists: false` true, and self is another predicate, so the fact has a value.
        case (_, .exists(let isThere)): return isThere
        case (.list(let mine, true), _): return mine.allSatisfy { other.holds(for: $0) }
        case (.list(let mine, false), .list(let theirs, false)): return theirs.isSubset(of: mine)
        case (.part(let mine, let part, true), .part(let theirs, _, true)):
            return mine == theirs && other.holds(for: .string(part.text))
        case (.part(let mine, _, false), .part(let theirs, let part, false)):
            return mine == theirs && !holds(for: .string(part.text))
        case (.part, .list(let theirs, false)), (.range, .list(let theirs, false)):
            return !theirs.contains { holds(for: $0) }
        case (.range(let low, let high), .range(let least, let most)),
            (.age(let low, let high), .age(let least, let most)):
            return low > high || (low >= least && high <= most)
        case (.list, _), (.part, _), (.range, _), (.age, _): return false
        }
    }

    /// Returns true when the predicate holds for the value. Always returns false for a predicate that depends on the clock.
    func holds(for value: FactValue) -> Bool {
        switch self {
        case .exists(let isThere): return isThere
        case .list(let values, let isIn): return values.contains(value) == isIn
        case .part(let operation, let part, let holds):
            // The result depends on the value alone, whichever fact has it.
            return Predicate(.productId, operation, [.string(part.text)]).isTrue(of: value) == holds
        case .range(let low, let high): return value.rank.map { low <= $0 && $0 <= high } ?? false
        case .age: return false
        }
    }
}
