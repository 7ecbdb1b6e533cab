internal import DataFiles

/// A condition in a form that can be compared with others: negations stand at predicates only, and predicates that
/// say the same look the same. Where the condition is true, false or unknown, so is the formula (Kleene's logic keeps
/// De Morgan's laws).
indirect enum Formula: Hashable {
    /// All of them.
    case all([Formula])
    /// Some of them.
    case any([Formula])
    /// A segment, or its opposite.
    case segment(Int, isTrue: Bool)
    /// A predicate on a fact.
    case leaf(Fact, Leaf)

    /// What a predicate says about the value of its fact.
    enum Leaf: Hashable {
        /// Whether there is one.
        case exists(Bool)
        /// It is in the list, or is not.
        case list(Set<FactValue>, isIn: Bool)
        /// It begins so, or does not.
        case prefix(ExactText, holds: Bool)
        /// It lies between two numbers, both included; never true when the first is the greater one.
        case range(low: Int64, high: Int64)
        /// So many milliseconds have passed since it: between two numbers, both included.
        case age(low: Int64, high: Int64)
    }

    /// The form of a condition, or of its opposite.
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
        // What is no predicate is never one's operation.
        case .all, .any, .not, .segment: return .any([])
        case .equal, .isIn: return list(fact, operands, isIn: isTrue)
        case .notEqual, .isNotIn: return list(fact, operands, isIn: !isTrue)
        case .prefix:
            guard case .string(let text) = first else { return .any([]) }
            return .leaf(fact, .prefix(ExactText(text), holds: isTrue))
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
            let age = (first.number ?? 0) * day
            return .leaf(fact, isTrue ? .age(low: age + 1, high: .max) : .age(low: .min, high: age))
        case .youngerThanDays:
            let age = (first.number ?? 0) * day
            return .leaf(fact, isTrue ? .age(low: .min, high: age - 1) : .age(low: age, high: .max))
        }
    }

    private static let day: Int64 = 86_400_000

    private static func list(_ fact: Fact, _ values: [FactValue], isIn: Bool) -> Formula {
        // What is not false is true, and the other way round.
        if !isIn, values.count == 1, case .boolean(let flag) = values[0] {
            return .leaf(fact, .list([.boolean(!flag)], isIn: true))
        }
        return .leaf(fact, .list(Set(values), isIn: isIn))
    }

    private static func from(_ fact: Fact, _ value: FactValue) -> Formula {
        .leaf(fact, .range(low: value.number ?? .min, high: .max))
    }

    private static func upTo(_ fact: Fact, _ value: FactValue) -> Formula {
        .leaf(fact, .range(low: .min, high: value.number ?? .max))
    }

    private static func above(_ fact: Fact, _ value: FactValue) -> Formula {
        let number = value.number ?? .min
        return .leaf(
            fact,
            number == .max ? .range(low: .max, high: .min) : .range(low: number + 1, high: .max)
        )
    }

    private static func below(_ fact: Fact, _ value: FactValue) -> Formula {
        let number = value.number ?? .max
        return .leaf(
            fact,
            number == .min ? .range(low: .max, high: .min) : .range(low: .min, high: number - 1)
        )
    }
}

extension Formula.Leaf {
    /// How many values it compares with: what it takes to look at it.
    var valueCount: Int {
        if case .list(let values, _) = self { max(1, values.count) } else { 1 }
    }

    /// Whether a fact of which this is true is one of which `other` is true. No is also said where it is not seen.
    func implies(_ other: Formula.Leaf) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.exists, _): return false
        // Of a fact that is missing nothing is true but that it is.
        case (_, .exists(let isThere)): return isThere
        case (.list(let mine, true), _): return mine.allSatisfy { other.holds(for: $0) }
        case (.list(let mine, false), .list(let theirs, false)): return theirs.isSubset(of: mine)
        case (.prefix(let mine, true), .prefix(let theirs, true)):
            return mine.text.utf8.starts(with: theirs.text.utf8)
        case (.prefix(let mine, false), .prefix(let theirs, false)):
            return theirs.text.utf8.starts(with: mine.text.utf8)
        case (.prefix, .list(let theirs, false)), (.range, .list(let theirs, false)):
            return !theirs.contains { holds(for: $0) }
        case (.range(let low, let high), .range(let least, let most)),
            (.age(let low, let high), .age(let least, let most)):
            return low > high || (low >= least && high <= most)
        default: return false
        }
    }

    /// Whether it is true of a value; no for what depends on the clock.
    func holds(for value: FactValue) -> Bool {
        switch self {
        case .exists(let isThere): return isThere
        case .list(let values, let isIn): return values.contains(value) == isIn
        case .prefix(let begin, let holds):
            guard case .string(let whole) = value else { return false }
            return whole.utf8.starts(with: begin.text.utf8) == holds
        case .range(let low, let high): return value.number.map { low <= $0 && $0 <= high } ?? false
        case .age: return false
        }
    }
}
