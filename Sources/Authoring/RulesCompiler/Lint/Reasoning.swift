internal import DataFiles

/// Decides whether one condition follows from another. A positive answer is always right. A negative answer may also
/// mean that the proof was not found or that the budget of steps is used up.
struct Reasoning {
    /// The conditions of the segments and their negations. Each segment refers only to earlier ones.
    private let segments: [(isTrue: Formula, isFalse: Formula)]
    /// The environment of all requests; nil when it is not known.
    private let environment: FactValue?
    /// The number of steps that are left.
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

    /// Returns true when no request makes the formula true.
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
    /// True when every request has the fact.
    fileprivate var isAlwaysThere: Bool {
        switch self {
        case .declared, .factsAgeSeconds: false
        case .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound: true
        }
    }
}
