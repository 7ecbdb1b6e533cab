internal import System

extension Condition {
    /// Reads the tree below a node; nil when it is damaged or deeper than allowed.
    package init?(reading reference: EntryReference, depth: Int, _ tables: RulesTables, _ bytes: RawSpan) {
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: reference.index, in: bytes),
            let operation = ConditionOperation(rawValue: node.operation)
        else { return nil }
        if operation == .segment {
            self = .segment(node.first.index)
            return
        }
        if operation.isGroup {
            guard Int(node.count) <= tables.conditions.count else { return nil }
            let children = (0..<node.count).compactMap { position in
                let child = EntryReference(node.first.number &+ position)
                return Condition(reading: child, depth: depth + 1, tables, bytes)
            }
            switch operation {
            case .all: self = .all(children)
            case .any: self = .any(children)
            default:
                guard let child = children.first else { return nil }
                self = .not(child)
            }
            return
        }
        guard let fact = Fact(number: node.fact) else { return nil }
        if operation == .exists {
            self = .exists(fact, node.value != 0)
            return
        }
        let values = Self.values(of: node, operation, tables, bytes)
        switch (operation, values.first) {
        case (.isIn, _): self = .isIn(fact, values)
        case (.isNotIn, _): self = .isNotIn(fact, values)
        case (.equal, let value?): self = .equal(fact, value)
        case (.notEqual, let value?): self = .notEqual(fact, value)
        case (.prefix, .string(let text)?): self = .prefix(fact, text)
        case (.greater, let value?): self = .greater(fact, value)
        case (.greaterOrEqual, let value?): self = .greaterOrEqual(fact, value)
        case (.less, let value?): self = .less(fact, value)
        case (.lessOrEqual, let value?): self = .lessOrEqual(fact, value)
        case (.between, let low?):
            guard values.count == 2 else { return nil }
            self = .between(fact, low, values[1])
        case (.olderThanDays, _): self = .olderThanDays(fact, node.value)
        case (.youngerThanDays, _): self = .youngerThanDays(fact, node.value)
        default: return nil
        }
    }

    /// The operands of a predicate; none where they are damaged.
    private static func values(
        of node: ConditionRecord,
        _ operation: ConditionOperation,
        _ tables: RulesTables,
        _ bytes: RawSpan
    ) -> [FactValue] {
        guard let kind = ValueKind(rawValue: node.valueKind) else { return [] }
        let start = node.first.index
        guard operation.hasList else {
            let string = kind == .string ? tables.strings.string(node.first, in: bytes) : nil
            return FactValue(kind, node.value, string: string).map { [$0] } ?? []
        }
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
