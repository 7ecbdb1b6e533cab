internal import DataFiles

extension Evaluation {
    /// Evaluates a node and its children, in order, until the value is decided. The node may refer only to segments
    /// below `segmentLimit`, so that a segment never refers back to itself.
    mutating func evaluate(_ index: Int, depth: Int, segmentLimit: Int, _ bytes: RawSpan) -> Truth {
        guard nodeBudget > 0, let node = tables.conditions.record(at: index, in: bytes) else {
            return .unknown
        }
        nodeBudget &-= 1
        return evaluate(node, at: index, depth: depth, segmentLimit: segmentLimit, bytes)
    }

    @inline(__always)
    private mutating func evaluate(
        _ node: ConditionRecord, at index: Int, depth: Int, segmentLimit: Int, _ bytes: RawSpan
    ) -> Truth {
        let truth =
            ConditionOperation.isCompound(node.operation)
            ? evaluate(compound: node, depth: depth, segmentLimit: segmentLimit, bytes)
            : evaluate(predicate: node, bytes)
        tracer.record(.node(index: index, depth: depth, truth))
        return truth
    }

    @inline(never)
    private mutating func evaluate(
        compound node: ConditionRecord, depth: Int, segmentLimit: Int, _ bytes: RawSpan
    ) -> Truth {
        guard depth <= DataFileLimits.conditionDepth else { return .unknown }
        switch node.operation {
        case ConditionOperation.all.rawValue:
            return combine(node, depth, segmentLimit, decidedBy: .false, bytes)
        case ConditionOperation.any.rawValue:
            return combine(node, depth, segmentLimit, decidedBy: .true, bytes)
        case ConditionOperation.not.rawValue:
            return evaluate(node.first.index, depth: depth + 1, segmentLimit: segmentLimit, bytes).negated
        case ConditionOperation.segment.rawValue:
            return evaluate(segment: node.first.index, limit: segmentLimit, bytes)
        default: return .unknown
        }
    }

    /// Evaluates the children of a group. The first false child decides `all`, the first true child decides `any`; if
    /// no child decides and one is unknown, the group is unknown.
    @inline(__always)
    private mutating func combine(
        _ node: ConditionRecord, _ depth: Int, _ segmentLimit: Int, decidedBy decisive: Truth,
        _ bytes: RawSpan
    ) -> Truth {
        var result = decisive.negated
        var child = node.first.index
        let end = child + min(Int(node.count), nodeBudget)
        // Each node uses up budget before it is evaluated, so the walk ends on a damaged file, too.
        if end < child + Int(node.count) { result = .unknown }
        while child < end {
            guard nodeBudget > 0, let record = tables.conditions.record(at: child, in: bytes) else {
                return .unknown
            }
            nodeBudget &-= 1
            let truth = evaluate(record, at: child, depth: depth + 1, segmentLimit: segmentLimit, bytes)
            if truth == decisive { return truth }
            if truth == .unknown { result = .unknown }
            child += 1
        }
        return result
    }

    /// Evaluates a segment when a decision first needs it and remembers the result. The tracer gets its nodes only
    /// then.
    private mutating func evaluate(segment: Int, limit: Int, _ bytes: RawSpan) -> Truth {
        guard segment < limit else { return .unknown }
        if let known = segments[segment] { return known }
        guard let root = tables.segments.record(at: segment, in: bytes)?.condition else { return .unknown }
        let truth = evaluate(root.index, depth: 0, segmentLimit: segment, bytes)
        segments[segment] = truth
        return truth
    }

    @inline(__always)
    private mutating func evaluate(predicate node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let value = facts.value(of: node.fact, node.valueKind, file, bytes) else {
            return node.operation == ConditionOperation.exists.rawValue ? exists(node) : .unknown
        }
        switch node.operation {
        case ConditionOperation.equal.rawValue: return Truth(value == node.operand)
        case ConditionOperation.notEqual.rawValue: return Truth(value != node.operand)
        case ConditionOperation.greater.rawValue: return Truth(value > node.value)
        case ConditionOperation.greaterOrEqual.rawValue: return Truth(value >= node.value)
        case ConditionOperation.less.rawValue: return Truth(value < node.value)
        case ConditionOperation.lessOrEqual.rawValue: return Truth(value <= node.value)
        case ConditionOperation.isIn.rawValue: return isListed(value, node, bytes)
        case ConditionOperation.isNotIn.rawValue: return isListed(value, node, bytes).negated
        default: return evaluateOtherPredicate(value, node, bytes)
        }
    }

    @inline(never)
    private mutating func evaluateOtherPredicate(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan)
        -> Truth
    {
        switch ConditionOperation(rawValue: node.operation) {
        case .all, .any, .not, .segment, .equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual,
            .isIn, .isNotIn, nil:
            return .unknown
        case .exists: return exists(node)
        case .between: return isBetween(value, node, bytes)
        case .olderThanDays:
            return Truth(
                Self.elapsed(since: value, until: request.nowMilliseconds) > node.value
                    &* Self.dayMilliseconds
            )
        case .youngerThanDays:
            return Truth(
                Self.elapsed(since: value, until: request.nowMilliseconds) < node.value
                    &* Self.dayMilliseconds
            )
        case .prefix: return hasPrefix(node, bytes)
        }
    }

    private mutating func exists(_ node: ConditionRecord) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        return Truth(facts.hasValue(fact) == (node.value != 0))
    }

    @inline(__always)
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
