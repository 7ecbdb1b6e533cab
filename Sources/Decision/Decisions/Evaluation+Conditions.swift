internal import DataFiles

extension Evaluation {
    /// Evaluates a node and, as far as they can still change its value, its children in their order.
    mutating func evaluate(_ index: Int, depth: Int, _ bytes: RawSpan) -> Truth {
        guard nodeBudget > 0 else { return .unknown }
        nodeBudget -= 1
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: index, in: bytes),
            let operation = ConditionOperation(rawValue: node.operation)
        else { return .unknown }
        let truth: Truth =
            switch operation {
            case .all: combine(node, depth, decidedBy: .false, bytes)
            case .any: combine(node, depth, decidedBy: .true, bytes)
            case .not: evaluate(node.first.index, depth: depth + 1, bytes).negated
            case .equal: equals(node, bytes)
            case .notEqual: equals(node, bytes).negated
            case .isIn: isListed(node, bytes)
            case .isNotIn: isListed(node, bytes).negated
            case .prefix: hasPrefix(node, bytes)
            }
        tracer.record(.node(index: index, depth: depth, truth))
        return truth
    }

    /// `all` is decided by the first false child, `any` by the first true one; else an unknown child makes it unknown.
    private mutating func combine(
        _ node: ConditionRecord,
        _ depth: Int,
        decidedBy decisive: Truth,
        _ bytes: RawSpan
    ) -> Truth {
        var result = decisive.negated
        var child = node.first.index
        let end = child + Int(node.count)
        while child < end {
            let truth = evaluate(child, depth: depth + 1, bytes)
            if truth == decisive { return truth }
            if truth == .unknown {
                result = .unknown
                if nodeBudget == 0 { return result }
            }
            child += 1
        }
        return result
    }

    private mutating func equals(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(rawValue: node.fact) else { return .unknown }
        if fact == .now { return Truth(request.nowMilliseconds == node.value) }
        let reference = strings.reference(of: fact, tables.strings, bytes)
        return Truth(reference == node.first && !reference.isNone)
    }

    private mutating func isListed(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(rawValue: node.fact) else { return .unknown }
        var low = node.first.index
        var high = low + Int(node.count)
        if fact == .now {
            while low < high {
                let middle = low + (high - low) / 2
                guard let date = tables.dateLists.record(at: middle, in: bytes)?.milliseconds else {
                    return .unknown
                }
                if date == request.nowMilliseconds { return .true }
                if date < request.nowMilliseconds { low = middle + 1 } else { high = middle }
            }
            return .false
        }
        let reference = strings.reference(of: fact, tables.strings, bytes)
        guard !reference.isNone else { return .false }
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = tables.stringLists.record(at: middle, in: bytes)?.reference else {
                return .unknown
            }
            if entry == reference { return .true }
            if entry.number < reference.number { low = middle + 1 } else { high = middle }
        }
        return .false
    }

    private mutating func hasPrefix(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(rawValue: node.fact), fact.valueKind == .string else { return .unknown }
        let table = tables.strings
        return Truth(
            strings.withBytes(of: fact) { table.isPrefix(node.first, of: $0, in: bytes) }
        )
    }
}
