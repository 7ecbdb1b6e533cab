internal import System

extension Condition {
    /// Reads the condition whose root is this node; nil when the tree is damaged or deeper than allowed.
    package init?(reading reference: EntryReference, depth: Int, _ tables: RulesTables, _ bytes: RawSpan) {
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: reference.index, in: bytes),
            let operation = ConditionOperation(rawValue: node.operation)
        else { return nil }
        switch operation.operand {
        case .segment: self = .segment(node.first.index)
        case .conditions:
            guard Int(node.count) <= tables.conditions.count else { return nil }
            let children = (0..<node.count).compactMap { position in
                let child = EntryReference(node.first.number &+ position)
                return Condition(reading: child, depth: depth + 1, tables, bytes)
            }
            if operation == .not {
                guard let child = children.first else { return nil }
                self = .not(child)
            } else {
                self = operation == .all ? .all(children) : .any(children)
            }
        case .value, .part, .list, .range, .flag, .days:
            let operands = Self.operands(of: node, operation, tables, bytes)
            guard let fact = Fact(number: node.fact), !operands.isEmpty else { return nil }
            self = .predicate(Predicate(fact, operation, operands))
        }
    }

    /// Returns the operands of a predicate; an empty list when they are damaged.
    private static func operands(
        of node: ConditionRecord, _ operation: ConditionOperation, _ tables: RulesTables, _ bytes: RawSpan
    ) -> [FactValue] {
        switch operation.operand {
        case .conditions, .segment: return []
        case .flag: return [.boolean(node.value != 0)]
        case .days: return [.integer(node.value)]
        case .value, .part:
            guard let kind = ValueKind(rawValue: node.valueKind) else { return [] }
            let string = kind == .string ? tables.strings.string(node.first, in: bytes) : nil
            return FactValue(kind, node.value, string: string).map { [$0] } ?? []
        case .list: return list(node, tables, bytes)
        case .range:
            let ends = list(node, tables, bytes)
            return ends.count == 2 ? ends : []
        }
    }

    /// Returns the values of a list, without those that are damaged.
    private static func list(_ node: ConditionRecord, _ tables: RulesTables, _ bytes: RawSpan) -> [FactValue]
    {
        guard let kind = ValueKind(rawValue: node.valueKind) else { return [] }
        let start = node.first.index
        let count = kind == .string ? tables.stringLists.count : tables.numberLists.count
        let end = min(start + Int(node.count), count)
        guard start < end else { return [] }
        return (start..<end).compactMap { index in
            if kind == .string {
                return tables.stringLists.record(at: index, in: bytes)
                    .flatMap { tables.strings.string($0.reference, in: bytes) }.map { .string($0) }
            }
            return tables.numberLists.record(at: index, in: bytes)
                .flatMap { FactValue(kind, $0.number, string: nil) }
        }
    }
}

extension FactValue {
    /// Makes the value that a number or a string of a file stands for; nil for a string that is missing.
    fileprivate init?(_ kind: ValueKind, _ number: Int64, string: String?) {
        switch kind {
        case .string:
            guard let string else { return nil }
            self = .string(string)
        case .date: self = .date(number)
        case .integer: self = .integer(number)
        case .boolean: self = .boolean(number != 0)
        }
    }
}
