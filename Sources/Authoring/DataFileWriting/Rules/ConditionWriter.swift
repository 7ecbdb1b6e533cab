internal import DataFiles

/// Lays the nodes of conditions out: level by level, so that the children of a node stand together and after it.
struct ConditionWriter {
    let pool: StringPool
    private(set) var nodes: [ConditionRecord] = []
    private(set) var strings: [EntryReference] = []
    private(set) var numbers: [Int64] = []

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

    private static let placeholder = ConditionRecord()

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
        case .greater(let fact, let value): nodes[index] = comparison(.greater, fact, value)
        case .greaterOrEqual(let fact, let value): nodes[index] = comparison(.greaterOrEqual, fact, value)
        case .less(let fact, let value): nodes[index] = comparison(.less, fact, value)
        case .lessOrEqual(let fact, let value): nodes[index] = comparison(.lessOrEqual, fact, value)
        case .exists(let fact, let isThere): nodes[index] = predicate(.exists, fact, 0, isThere ? 1 : 0)
        case .between(let fact, let low, let high): nodes[index] = range(fact, low, high)
        case .olderThanDays(let fact, let days):
            nodes[index] = predicate(.olderThanDays, fact, ValueKind.date.rawValue, days)
        case .youngerThanDays(let fact, let days):
            nodes[index] = predicate(.youngerThanDays, fact, ValueKind.date.rawValue, days)
        case .segment(let segment):
            nodes[index].operation = ConditionOperation.segment.rawValue
            nodes[index].first = UInt32(exactly: segment).map(EntryReference.init) ?? .none
        }
        return []
    }

    private mutating func placeGroup(
        _ operation: ConditionOperation,
        _ children: [Condition],
        at index: Int
    ) -> [Condition] {
        nodes[index] = predicate(operation, nil, 0, 0)
        nodes[index].first = EntryReference(UInt32(nodes.count))
        nodes[index].count = UInt32(children.count)
        return children
    }

    private func predicate(
        _ operation: ConditionOperation,
        _ fact: Fact?,
        _ kind: UInt8,
        _ value: Int64
    ) -> ConditionRecord {
        var record = Self.placeholder
        record.operation = operation.rawValue
        record.fact = fact?.number ?? 0
        record.valueKind = kind
        record.value = value
        return record
    }

    private func comparison(
        _ operation: ConditionOperation,
        _ fact: Fact,
        _ value: FactValue
    ) -> ConditionRecord {
        var record = predicate(operation, fact, value.kind.rawValue, value.number)
        if case .string(let text) = value { record.first = pool[text] }
        return record
    }

    private mutating func range(_ fact: Fact, _ low: FactValue, _ high: FactValue) -> ConditionRecord {
        var record = predicate(.between, fact, low.kind.rawValue, 0)
        record.first = EntryReference(UInt32(numbers.count))
        record.count = 2
        numbers += [low.number, high.number]
        return record
    }

    /// Lists of strings and of all else stand apart.
    private mutating func list(
        _ operation: ConditionOperation,
        _ fact: Fact,
        _ values: [FactValue]
    ) -> ConditionRecord {
        let kind = values.first?.kind ?? .string
        var record = predicate(operation, fact, kind.rawValue, 0)
        if kind == .string {
            let listed = values.compactMap { value in
                if case .string(let text) = value { pool[text].number } else { nil }
            }
            let unique = Set(listed).sorted()
            record.first = EntryReference(UInt32(strings.count))
            record.count = UInt32(unique.count)
            strings += unique.map(EntryReference.init)
        } else {
            let unique = Set(values.map(\.number)).sorted()
            record.first = EntryReference(UInt32(numbers.count))
            record.count = UInt32(unique.count)
            numbers += unique
        }
        return record
    }
}
