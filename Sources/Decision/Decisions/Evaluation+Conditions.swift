internal import DataFiles

extension Evaluation {
    /// Evaluates a node and, as far as they can still change its value, its children in their order. Segments from
    /// the limit on may not be referred to, so that one never comes back to itself.
    mutating func evaluate(_ index: Int, depth: Int, segmentLimit: Int, _ bytes: RawSpan) -> Truth {
        guard nodeBudget > 0 else { return .unknown }
        nodeBudget &-= 1
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: index, in: bytes),
            let operation = ConditionOperation(rawValue: node.operation)
        else { return .unknown }
        let truth: Truth =
            switch operation {
            case .all: combine(node, depth, segmentLimit, decidedBy: .false, bytes)
            case .any: combine(node, depth, segmentLimit, decidedBy: .true, bytes)
            case .not:
                evaluate(node.first.index, depth: depth + 1, segmentLimit: segmentLimit, bytes).negated
            case .segment: evaluate(segment: node.first.index, depth, limit: segmentLimit, bytes)
            default: evaluate(predicate: node, operation, bytes)
            }
        tracer.record(.node(index: index, depth: depth, truth))
        return truth
    }

    /// `all` is decided by the first false child, `any` by the first true one; else an unknown child makes it unknown.
    private mutating func combine(
        _ node: ConditionRecord,
        _ depth: Int,
        _ segmentLimit: Int,
        decidedBy decisive: Truth,
        _ bytes: RawSpan
    ) -> Truth {
        var result = decisive.negated
        var child = node.first.index
        let end = child + Int(node.count)
        while child < end {
            let truth = evaluate(child, depth: depth + 1, segmentLimit: segmentLimit, bytes)
            if truth == decisive { return truth }
            if truth == .unknown {
                result = .unknown
                if nodeBudget == 0 { return result }
            }
            child += 1
        }
        return result
    }

    /// A segment is evaluated once in a decision. Its nodes are told to the tracer where that happens.
    private mutating func evaluate(segment: Int, _ depth: Int, limit: Int, _ bytes: RawSpan) -> Truth {
        guard segment < limit else { return .unknown }
        if let known = segments[segment] { return known }
        guard let root = tables.segments.record(at: segment, in: bytes)?.condition else { return .unknown }
        let truth = evaluate(root.index, depth: 0, segmentLimit: segment, bytes)
        segments[segment] = truth
        return truth
    }

    @inline(__always)
    private mutating func evaluate(
        predicate node: ConditionRecord,
        _ operation: ConditionOperation,
        _ bytes: RawSpan
    ) -> Truth {
        if operation == .exists {
            guard let fact = Fact(number: node.fact) else { return .unknown }
            return Truth(facts.hasValue(fact) == (node.value != 0))
        }
        guard let kind = ValueKind(rawValue: node.valueKind),
            let value = facts.value(of: node.fact, kind, tables.strings, bytes)
        else { return .unknown }
        switch operation {
        case .equal: return Truth(equals(value, node, kind))
        case .notEqual: return Truth(!equals(value, node, kind))
        case .isIn: return isListed(value, node, kind, bytes)
        case .isNotIn: return isListed(value, node, kind, bytes).negated
        case .greater: return Truth(value > node.value)
        case .greaterOrEqual: return Truth(value >= node.value)
        case .less: return Truth(value < node.value)
        case .lessOrEqual: return Truth(value <= node.value)
        case .between: return isBetween(value, node, bytes)
        case .olderThanDays:
            return Truth(Self.elapsed(since: value, until: request.nowMilliseconds) > days(node))
        case .youngerThanDays:
            return Truth(Self.elapsed(since: value, until: request.nowMilliseconds) < days(node))
        case .prefix: return hasPrefix(node, bytes)
        case .all, .any, .not, .exists, .segment: return .unknown
        }
    }

    private func days(_ node: ConditionRecord) -> Int64 { node.value &* Self.dayMilliseconds }

    @inline(__always)
    private func equals(_ value: Int64, _ node: ConditionRecord, _ kind: ValueKind) -> Bool {
        guard kind == .string else { return value == node.value }
        return value == Int64(node.first.number) && value != FactSlots.unknownString
    }

    @inline(__always)
    private func isListed(
        _ value: Int64,
        _ node: ConditionRecord,
        _ kind: ValueKind,
        _ bytes: RawSpan
    ) -> Truth {
        var low = node.first.index
        var high = low + Int(node.count)
        guard kind != .string else {
            guard value != FactSlots.unknownString else { return .false }
            while low < high {
                let middle = low + (high - low) / 2
                guard let entry = tables.stringLists.record(at: middle, in: bytes)?.reference else {
                    return .unknown
                }
                let number = Int64(entry.number)
                if number == value { return .true }
                if number < value { low = middle + 1 } else { high = middle }
            }
            return .false
        }
        while low < high {
            let middle = low + (high - low) / 2
            guard let number = tables.numberLists.record(at: middle, in: bytes)?.number else {
                return .unknown
            }
            if number == value { return .true }
            if number < value { low = middle + 1 } else { high = middle }
        }
        return .false
    }

    private func isBetween(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let low = tables.numberLists.record(at: node.first.index, in: bytes)?.number,
            let high = tables.numberLists.record(at: node.first.index + 1, in: bytes)?.number
        else { return .unknown }
        return Truth(low <= value && value <= high)
    }

    private func hasPrefix(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        let strings = tables.strings
        let result = facts.withBytes(of: fact) { strings.isPrefix(node.first, of: $0, in: bytes) }
        return result.map(Truth.init) ?? .unknown
    }
}
