internal import Facts
internal import Rules

/// Decides whether one condition follows from another. A positive answer is always right. A negative answer may also
/// mean that the proof was not found or that the budget of steps is used up.
struct Reasoning {
    /// The conditions of the segments and their negations. Each segment refers only to earlier ones.
    private let segments: [(isTrue: Formula, isFalse: Formula)]
    /// The environment of all requests; nil when it is not known.
    private let environment: FactValue?
    private var steps: Int

    /// True when the budget is used up, so that conclusions may have been missed.
    var isExhausted: Bool { steps == 0 }

    /// The budget for a whole source. It makes sure that lint ends.
    static let usualSteps = 20_000_000

    init(segments: [RulesModel.Segment], environment: String? = nil, steps: Int = usualSteps) {
        self.segments = segments.map { (Formula($0.condition), Formula($0.condition, isTrue: false)) }
        self.environment = environment.map { .string($0) }
        self.steps = steps
    }

    /// Takes steps from the budget. Returns false when too few are left, and then sets the budget to 0. One step reads
    /// one value of a list, or one part of a formula.
    mutating func step(_ count: Int = 1) -> Bool {
        guard count <= steps else {
            steps = 0
            return false
        }
        steps -= count
        return true
    }

    private func segment(_ place: Int, isTrue: Bool) -> Formula? {
        guard segments.indices.contains(place) else { return nil }
        return isTrue ? segments[place].isTrue : segments[place].isFalse
    }

    /// Returns true when two formulas are equal. Takes a step for each part.
    private mutating func isSame(_ left: Formula, _ right: Formula) -> Bool {
        switch (left, right) {
        case (.leaf(let fact, let mine), .leaf(let other, let theirs)):
            return fact == other && step(min(mine.valueCount, theirs.valueCount)) && mine == theirs
        case (.segment, .segment): return step() && left == right
        case (.all(let mine), .all(let theirs)), (.any(let mine), .any(let theirs)):
            guard step(), mine.count == theirs.count else { return false }
            for (one, other) in zip(mine, theirs) {
                guard isSame(one, other) else { return false }
            }
            return true
        default: return false
        }
    }

    /// Returns true when `conclusion` is true wherever `premise` is.
    mutating func follows(_ conclusion: Formula, from premise: Formula) -> Bool {
        guard step() else { return false }
        if isSame(premise, conclusion) { return true }
        // Every case of the premise and every part of the conclusion must be shown. These are handled first, because
        // below it is enough to show one.
        if case .any(let cases) = premise {
            for one in cases {
                guard follows(conclusion, from: one) else { return false }
            }
            return true
        }
        if case .all(let parts) = conclusion {
            for part in parts {
                guard follows(part, from: premise) else { return false }
            }
            return true
        }
        if case .leaf(let fact, let mine) = premise, case .leaf(let other, let theirs) = conclusion {
            return fact == other && step(mine.valueCount + theirs.valueCount) && mine.implies(theirs)
        }
        if case .all(let parts) = premise {
            for part in parts where follows(conclusion, from: part) {
                return true
            }
        }
        if case .any(let cases) = conclusion {
            for one in cases where follows(one, from: premise) {
                return true
            }
        }
        if case .segment(let place, let isTrue) = premise, let inner = segment(place, isTrue: isTrue) {
            if follows(conclusion, from: inner) { return true }
        }
        if case .segment(let place, let isTrue) = conclusion, let inner = segment(place, isTrue: isTrue) {
            return follows(inner, from: premise)
        }
        return false
    }

    mutating func isNeverTrue(_ formula: Formula) -> Bool {
        var leaves: [Fact: [Formula.Leaf]] = [:]
        guard collect(formula, &leaves) else { return true }
        if let environment, leaves[.environment]?.contains(where: { !$0.holds(for: environment) }) ?? false {
            return true
        }
        let isMissing = leaves.contains { fact, leaves in
            fact.isAlwaysThere && leaves.contains(.exists(false))
        }
        if isMissing { return true }
        // Each value of a list is compared with all predicates on its fact.
        for leaves in leaves.values {
            guard step(leaves.reduce(0) { $0 + $1.valueCount } * leaves.count) else { return false }
        }
        guard !Self.noLocale(leaves) else { return true }
        return leaves.values.contains { Self.contradict($0) }
    }

    /// Returns true when the locale must be in a list, but no locale of the list has a language that the other
    /// predicates allow.
    private static func noLocale(_ leaves: [Fact: [Formula.Leaf]]) -> Bool {
        guard let languages = leaves[.language], let locales = leaves[.userLocale] else { return false }
        return locales.contains { leaf in
            guard case .list(let values, isIn: true) = leaf else { return false }
            return !values.contains { value in
                guard case .string(let locale) = value else { return true }
                let language = FactValue.string(String(locale.prefix { $0 != "-" }))
                return languages.allSatisfy { $0.holds(for: language) }
            }
        }
    }

    /// Collects the predicates that must be true of each fact. Returns false when a part of the formula is never true.
    private mutating func collect(_ formula: Formula, _ leaves: inout [Fact: [Formula.Leaf]]) -> Bool {
        guard step() else { return true }
        switch formula {
        case .leaf(let fact, let leaf): leaves[fact, default: []].append(leaf)
        case .all(let parts):
            for part in parts {
                guard collect(part, &leaves) else { return false }
            }
        case .any(let cases):
            for one in cases where !isNeverTrue(one) { return true }
            return false
        case .segment(let place, let isTrue):
            guard let inner = segment(place, isTrue: isTrue) else { return true }
            return collect(inner, &leaves)
        }
        return true
    }

    /// Returns true when neither a value nor a missing value satisfies all predicates on one fact.
    private static func contradict(_ leaves: [Formula.Leaf]) -> Bool {
        if leaves.contains(.exists(false)) { return leaves.contains { $0 != .exists(false) } }
        var (low, high) = (Int64.min, Int64.max)
        var (youngest, oldest) = (Int64.min, Int64.max)
        for leaf in leaves {
            switch leaf {
            case .range(let least, let most): (low, high) = (max(low, least), min(high, most))
            case .age(let least, let most): (youngest, oldest) = (max(youngest, least), min(oldest, most))
            case .list(let values, isIn: true):
                let isPossible = values.contains { value in
                    leaves.allSatisfy { leaf in
                        if case .age = leaf { true } else { leaf.holds(for: value) }
                    }
                }
                if !isPossible { return true }
            case .exists, .list(_, isIn: false), .part: break
            }
        }
        return low > high || youngest > oldest
    }
}

extension Fact {
    fileprivate var isAlwaysThere: Bool {
        switch self {
        case .declared, .factsAgeSeconds: false
        case .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound: true
        }
    }
}

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
    case leaf(Fact, Leaf)

    /// The statement of a predicate about the value of its fact.
    enum Leaf: Hashable {
        /// The fact has a value, or has none.
        case exists(Bool)
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
