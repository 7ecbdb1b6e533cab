/// Lays the nodes of conditions out: level by level, so that the children of a node stand together and after it.
struct ConditionWriter {
    let pool: StringPool
    private(set) var nodes: [ConditionRecord] = []
    private(set) var strings: [EntryReference] = []
    private(set) var dates: [Int64] = []

    init(pool: StringPool) {
        self.pool = pool
    }

    /// Adds a tree and answers where its root is.
    mutating func add(_ condition: Condition) -> EntryReference {
        let root = nodes.count
        var waiting = [condition]
        nodes.append(Self.placeholder)
        var next = 0
        while next < waiting.count {
            let children = place(waiting[next], at: root + next)
            waiting += children
            for _ in children { nodes.append(Self.placeholder) }
            next += 1
        }
        return EntryReference(UInt32(root))
    }

    private static let placeholder = ConditionRecord(
        operation: 0,
        valueKind: 0,
        fact: 0,
        first: .none,
        count: 0,
        value: 0
    )

    /// Writes one node; its children get the next free places.
    private mutating func place(_ condition: Condition, at index: Int) -> [Condition] {
        switch condition {
        case .all(let children): return placeGroup(.all, children, at: index)
        case .any(let children): return placeGroup(.any, children, at: index)
        case .not(let child): return placeGroup(.not, [child], at: index)
        case .equal(let fact, let value): nodes[index] = comparison(.equal, fact, value)
        case .notEqual(let fact, let value): nodes[index] = comparison(.notEqual, fact, value)
        case .isIn(let fact, let values): nodes[index] = list(.isIn, fact, values)
        case .isNotIn(let fact, let values): nodes[index] = list(.isNotIn, fact, values)
        case .prefix(let fact, let text): nodes[index] = comparison(.prefix, fact, .string(text))
        }
        return []
    }

    private mutating func placeGroup(
        _ operation: ConditionOperation,
        _ children: [Condition],
        at index: Int
    ) -> [Condition] {
        nodes[index] = ConditionRecord(
            operation: operation.rawValue,
            valueKind: 0,
            fact: 0,
            first: EntryReference(UInt32(nodes.count)),
            count: UInt32(children.count),
            value: 0
        )
        return children
    }

    private func comparison(
        _ operation: ConditionOperation,
        _ fact: Fact,
        _ value: FactValue
    ) -> ConditionRecord {
        var record = Self.placeholder
        record.operation = operation.rawValue
        record.fact = fact.rawValue
        switch value {
        case .string(let text):
            record.valueKind = ValueKind.string.rawValue
            record.first = pool[text]
        case .date(let milliseconds):
            record.valueKind = ValueKind.date.rawValue
            record.value = milliseconds
        }
        return record
    }

    private mutating func list(
        _ operation: ConditionOperation,
        _ fact: Fact,
        _ values: [FactValue]
    ) -> ConditionRecord {
        var record = Self.placeholder
        record.operation = operation.rawValue
        record.fact = fact.rawValue
        record.valueKind = fact.valueKind.rawValue
        switch fact.valueKind {
        case .string:
            let numbers = values.compactMap { value in
                if case .string(let text) = value { pool[text].number } else { nil }
            }
            record.first = EntryReference(UInt32(strings.count))
            let unique = Set(numbers).sorted()
            record.count = UInt32(unique.count)
            strings += unique.map(EntryReference.init)
        case .date:
            let unique = Set(
                values.compactMap { value in
                    if case .date(let milliseconds) = value { milliseconds } else { nil }
                }
            ).sorted()
            record.first = EntryReference(UInt32(dates.count))
            record.count = UInt32(unique.count)
            dates += unique
        }
        return record
    }
}
