internal import Facts

/// The values of Kleene's three-valued logic. A predicate on a missing fact is unknown, and so is a condition that
/// depends on it.
public enum Truth: String, Sendable, Hashable {
    case `false`
    /// The condition is neither true nor false, because a fact is missing.
    case unknown
    case `true`

    init(_ value: Bool) {
        self = value ? .true : .false
    }

    var negated: Truth {
        switch self {
        case .false: .true
        case .unknown: .unknown
        case .true: .false
        }
    }
}

/// The truth of each segment that one decision has evaluated, two bits for each.
struct SegmentMemory {
    private var words: [8 of UInt64] = .init(repeating: 0)

    subscript(segment: Int) -> Truth? {
        get {
            switch words[segment >> 5] >> UInt64((segment & 31) << 1) & 3 {
            case 1: .false
            case 2: .unknown
            case 3: .true
            default: nil
            }
        }
        set {
            let bits: UInt64 =
                switch newValue {
                case nil: 0
                case .false: 1
                case .unknown: 2
                case .true: 3
                }
            words[segment >> 5] |= bits << UInt64((segment & 31) << 1)
        }
    }
}

extension Evaluation {
    /// Returns true when the rule's selective predicate is false, so that its condition is false as well.
    @inline(__always)
    mutating func isRuledOut(_ rule: RuleRecord, _ bytes: RawSpan) -> Bool {
        let index = rule.selectivePredicate.index
        guard let node = tables.conditions.record(at: index, in: bytes) else { return false }
        return evaluate(predicate: node, at: index, bytes) == .false
    }

    /// Evaluates a node and its children, in order, until the value is decided.
    mutating func evaluate(_ index: Int, _ bytes: RawSpan) -> Truth {
        guard let node = tables.conditions.record(at: index, in: bytes) else { return .unknown }
        let truth =
            switch ConditionOperation(rawValue: node.operation) {
            case .all: combine(node, decidedBy: .false, bytes)
            case .any: combine(node, decidedBy: .true, bytes)
            case .not: evaluate(node.first.index, bytes).negated
            case .segment: evaluate(segment: node.first.index, bytes)
            default: evaluate(predicate: node, at: index, bytes)
            }
        tracer.record(.node(index: index, truth))
        return truth
    }

    /// Evaluates the children of a group. The first false child decides `all`, the first true child decides `any`; if
    /// no child decides and one is unknown, the group is unknown.
    private mutating func combine(_ node: ConditionRecord, decidedBy decisive: Truth, _ bytes: RawSpan)
        -> Truth
    {
        var result = decisive.negated
        for child in node.first.index..<node.first.index + Int(node.count) {
            let truth = evaluate(child, bytes)
            if truth == decisive { return truth }
            if truth == .unknown { result = .unknown }
        }
        return result
    }

    /// Evaluates a segment when a decision first needs it and remembers the result. The tracer gets its nodes only
    /// then.
    private mutating func evaluate(segment: Int, _ bytes: RawSpan) -> Truth {
        guard let root = tables.segments.record(at: segment, in: bytes)?.condition else { return .unknown }
        if let known = segments[segment] { return known }
        let truth = evaluate(root.index, bytes)
        segments[segment] = truth
        return truth
    }

    @inline(__always)
    private mutating func evaluate(predicate node: ConditionRecord, at index: Int, _ bytes: RawSpan) -> Truth
    {
        guard let value = facts.value(of: node.fact, node.valueKind, file, bytes) else {
            return evaluate(other: index, nil, bytes)
        }
        switch node.operation {
        case ConditionOperation.equal.rawValue: return Truth(value == node.operand)
        case ConditionOperation.notEqual.rawValue: return Truth(value != node.operand)
        case ConditionOperation.greater.rawValue: return Truth(value > node.value)
        case ConditionOperation.greaterOrEqual.rawValue: return Truth(value >= node.value)
        case ConditionOperation.less.rawValue: return Truth(value < node.value)
        case ConditionOperation.lessOrEqual.rawValue: return Truth(value <= node.value)
        default: return evaluate(other: index, value, bytes)
        }
    }

    /// Evaluates a predicate that is no comparison with one value, or whose fact is missing.
    @inline(never)
    private mutating func evaluate(other index: Int, _ value: Int64?, _ bytes: RawSpan) -> Truth {
        guard let node = tables.conditions.record(at: index, in: bytes) else { return .unknown }
        let operation = ConditionOperation(rawValue: node.operation)
        if operation == .exists { return exists(node) }
        guard let value else { return .unknown }
        return switch operation {
        case .isIn: isListed(value, node, bytes)
        case .isNotIn: isListed(value, node, bytes).negated
        case .between: isBetween(value, node, bytes)
        case .olderThanDays: Truth(elapsed(since: value) > node.value &* Self.dayMilliseconds)
        case .youngerThanDays: Truth(elapsed(since: value) < node.value &* Self.dayMilliseconds)
        case .prefix: hasPrefix(node, bytes)
        default: .unknown
        }
    }

    private mutating func exists(_ node: ConditionRecord) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        return Truth(facts.hasValue(fact) == (node.value != 0))
    }

    private mutating func isListed(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        let first = node.first.index
        let count = Int(node.count)
        if node.valueKind == ValueKind.string.rawValue {
            let table = tables.stringLists
            return Truth(
                table.contains(UInt32(truncatingIfNeeded: value), first: first, count: count, in: bytes)
            )
        }
        return Truth(tables.numberLists.contains(value, first: first, count: count, in: bytes))
    }

    private mutating func isBetween(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let low = tables.numberLists.record(at: node.first.index, in: bytes)?.number,
            let high = tables.numberLists.record(at: node.first.index + 1, in: bytes)?.number
        else { return .unknown }
        return Truth(low <= value && value <= high)
    }

    private mutating func hasPrefix(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        let strings = tables.strings
        let result = facts.withBytes(of: fact) { strings.isPrefix(node.first, of: $0, in: bytes) }
        return result.map(Truth.init) ?? .unknown
    }
}

extension ConditionRecord {
    /// The value that the fact is compared with: the number of a string, or the value itself.
    @inline(__always)
    fileprivate var operand: Int64 {
        valueKind == ValueKind.string.rawValue ? Int64(first.number) : value
    }
}
