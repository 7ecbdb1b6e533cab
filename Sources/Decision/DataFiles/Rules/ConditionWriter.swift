/// Lays out the nodes of conditions level by level, so that the children of a node stand together and after the node.
struct ConditionWriter {
    let pool: StringPool
    private(set) var nodes: [ConditionRecord] = []
    private(set) var strings: [EntryReference] = []
    private(set) var numbers: [Int64] = []

    init(pool: StringPool) {
        self.pool = pool
    }

    /// Adds the nodes of a condition and returns the place of its root.
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

    /// Writes one node and returns its children. The caller gives them the next free places.
    private mutating func place(_ condition: Condition, at index: Int) -> [Condition] {
        switch condition {
        case .all(let children): return placeGroup(.all, children, at: index)
        case .any(let children): return placeGroup(.any, children, at: index)
        case .not(let child): return placeGroup(.not, [child], at: index)
        case .predicate(let predicate): nodes[index] = record(of: predicate)
        case .segment(let segment):
            nodes[index].operation = ConditionOperation.segment.rawValue
            nodes[index].first = UInt32(exactly: segment).map(EntryReference.init) ?? .none
        }
        return []
    }

    private mutating func placeGroup(_ operation: ConditionOperation, _ children: [Condition], at index: Int)
        -> [Condition]
    {
        nodes[index].operation = operation.rawValue
        nodes[index].first = EntryReference(UInt32(nodes.count))
        nodes[index].count = UInt32(children.count)
        return children
    }

    /// Returns the node of a predicate. The operands of a list or range are appended to ``strings`` or ``numbers``.
    private mutating func record(of predicate: Predicate) -> ConditionRecord {
        var record = Self.placeholder
        record.operation = predicate.operation.rawValue
        record.fact = predicate.fact.number
        guard let first = predicate.operands.first else { return record }
        switch predicate.operation.operand {
        case .conditions, .segment: break
        case .value, .part:
            record.valueKind = first.kind.rawValue
            record.value = first.number
            if case .string(let text) = first { record.first = pool[text] }
        case .flag: record.value = first.number
        case .days:
            record.valueKind = ValueKind.date.rawValue
            record.value = first.number
        case .range:
            record.valueKind = first.kind.rawValue
            record.first = EntryReference(UInt32(numbers.count))
            record.count = UInt32(predicate.operands.count)
            numbers += predicate.operands.map(\.number)
        case .list: place(predicate.operands, in: &record)
        }
        return record
    }

    /// Appends the values of a list, sorted and without repetitions: strings to ``strings``, all other kinds to ``numbers``.
    private mutating func place(_ values: [FactValue], in record: inout ConditionRecord) {
        let kind = values.first?.kind ?? .string
        record.valueKind = kind.rawValue
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
    }
}
