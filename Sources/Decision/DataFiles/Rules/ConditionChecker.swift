internal import System

/// Checks the conditions of a file: its nodes are trees of the allowed depth, each node is in exactly one place, every
/// predicate compares a fact with values of its kind, and segments refer to earlier segments only.
struct ConditionChecker {
    let tables: RulesTables

    /// What the checker knows of a node before it checks the node.
    private struct Place {
        /// The depth of the node, from 1; 0 while nothing has referred to the node.
        var depth: UInt8 = 0
        /// The node may refer to segments with a smaller number than this.
        var segmentLimit: UInt16 = 0
    }

    /// How many entries of the lists belong to predicates that are checked already. Predicates take the entries in
    /// turn.
    private struct TakenEntries {
        var strings = 0
        var numbers = 0
    }

    /// Checks all conditions. Children stand after their parent, so one pass from the front knows the depth of every
    /// node. If nothing has referred to a node before the pass comes to it, the node belongs to no condition.
    func check(_ bytes: RawSpan) throws(DataFileError) {
        var places = [Place](repeating: Place(), count: tables.conditions.count)
        for index in 0..<tables.segments.count {
            guard let root = tables.segments.record(at: index, in: bytes)?.condition else { continue }
            let offset = field(\SegmentRecord.condition, at: tables.segments.offset(of: index))
            try take(root, .segments, offset, Place(depth: 1, segmentLimit: UInt16(index)), &places)
        }
        let all = UInt16(tables.segments.count)
        for index in 0..<tables.rules.count {
            guard let root = tables.rules.record(at: index, in: bytes)?.condition, !root.isNone else {
                continue
            }
            let offset = field(\RuleRecord.condition, at: tables.rules.offset(of: index))
            try take(root, .rules, offset, Place(depth: 1, segmentLimit: all), &places)
        }
        var taken = TakenEntries()
        for index in 0..<tables.conditions.count {
            guard let node = tables.conditions.record(at: index, in: bytes) else { return }
            let offset = tables.conditions.offset(of: index)
            guard places[index].depth > 0 else { throw error(.badCondition, offset) }
            guard node.reserved == 0 else {
                throw error(.badValue, field(\ConditionRecord.reserved, at: offset))
            }
            guard let operation = ConditionOperation(rawValue: node.operation) else {
                throw error(.badValue, offset)
            }
            switch operation.operand {
            case .segment: try checkSegment(node, offset, places[index])
            case .conditions: try checkGroup(node, operation, at: index, &places)
            case .value, .part, .list, .range, .flag, .days:
                try checkPredicate(node, operation, offset, bytes, &taken)
            }
        }
        try checkLeftovers(taken)
    }

    private func take(
        _ root: EntryReference, _ section: RulesSection, _ offset: Int, _ place: Place,
        _ places: inout [Place]
    ) throws(DataFileError) {
        guard places[root.index].depth == 0 else {
            throw DataFileError(.badCondition, section: section.name, offset: offset)
        }
        places[root.index] = place
    }

    private func checkSegment(_ node: ConditionRecord, _ offset: Int, _ place: Place) throws(DataFileError) {
        guard node.valueKind == 0, node.fact == 0 else {
            throw error(.badValue, field(\ConditionRecord.valueKind, at: offset))
        }
        guard node.first.index < Int(place.segmentLimit) else {
            throw error(.badReference, field(\ConditionRecord.first, at: offset))
        }
        guard node.count == 0 else { throw error(.badValue, field(\ConditionRecord.count, at: offset)) }
        guard node.value == 0 else { throw error(.badValue, field(\ConditionRecord.value, at: offset)) }
    }

    private func checkGroup(
        _ node: ConditionRecord, _ operation: ConditionOperation, at index: Int, _ places: inout [Place]
    ) throws(DataFileError) {
        let offset = tables.conditions.offset(of: index)
        guard node.valueKind == 0, node.fact == 0, node.value == 0 else {
            throw error(.badValue, field(\ConditionRecord.valueKind, at: offset))
        }
        let place = places[index]
        guard Int(place.depth) <= DataFileLimits.conditionDepth else { throw error(.badCondition, offset) }
        guard node.first.index > index, node.first.index < places.count else {
            throw error(.badCondition, field(\ConditionRecord.first, at: offset))
        }
        guard node.count > 0, Int(node.count) <= places.count - node.first.index,
            operation != .not || node.count == 1
        else { throw error(.badCondition, field(\ConditionRecord.count, at: offset)) }
        for child in node.first.index..<node.first.index + Int(node.count) {
            guard places[child].depth == 0 else {
                throw error(.badCondition, field(\ConditionRecord.first, at: offset))
            }
            places[child] = Place(depth: place.depth + 1, segmentLimit: place.segmentLimit)
        }
    }

    private func checkPredicate(
        _ node: ConditionRecord, _ operation: ConditionOperation, _ offset: Int, _ bytes: RawSpan,
        _ taken: inout TakenEntries
    ) throws(DataFileError) {
        guard let fact = Fact(number: node.fact), let kind = tables.kind(of: fact, bytes) else {
            throw error(.badValue, field(\ConditionRecord.fact, at: offset))
        }
        // `exists` works the same for every kind of fact, so its node has no kind.
        let expected = operation.operand == .flag ? 0 : kind.rawValue
        guard node.valueKind == expected, operation.fits(kind) else {
            throw error(.badValue, field(\ConditionRecord.valueKind, at: offset))
        }
        let (isGood, hasString): (Bool, Bool)
        switch operation.operand {
        case .list, .range:
            guard node.value == 0 else { throw error(.badValue, field(\ConditionRecord.value, at: offset)) }
            return try checkList(node, operation, kind, offset, bytes, &taken)
        case .value, .part: (isGood, hasString) = (kind.canBe(node.value), kind == .string)
        case .flag: (isGood, hasString) = (node.value == 0 || node.value == 1, false)
        case .days: (isGood, hasString) = ((0...DataFileLimits.dayCount).contains(node.value), false)
        case .conditions, .segment: (isGood, hasString) = (false, false)
        }
        guard node.count == 0 else { throw error(.badValue, field(\ConditionRecord.count, at: offset)) }
        guard hasString ? node.first.index < tables.strings.count : node.first.isNone else {
            throw error(.badReference, field(\ConditionRecord.first, at: offset))
        }
        guard isGood else { throw error(.badValue, field(\ConditionRecord.value, at: offset)) }
    }

    private func checkList(
        _ node: ConditionRecord, _ operation: ConditionOperation, _ kind: ValueKind, _ offset: Int,
        _ bytes: RawSpan, _ taken: inout TakenEntries
    ) throws(DataFileError) {
        let isStrings = kind == .string
        let start = isStrings ? taken.strings : taken.numbers
        let available = isStrings ? tables.stringLists.count : tables.numberLists.count
        guard node.first.index == start else {
            throw error(.badReference, field(\ConditionRecord.first, at: offset))
        }
        guard node.count > 0, Int(node.count) <= available - start,
            operation.operand != .range || node.count == 2
        else { throw error(.badReference, field(\ConditionRecord.count, at: offset)) }
        let end = start + Int(node.count)
        if isStrings {
            try checkStrings(start..<end, bytes)
            taken.strings = end
        } else {
            try checkNumbers(start..<end, kind, mayRepeat: operation.operand == .range, bytes)
            taken.numbers = end
        }
    }

    private func checkStrings(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var before: UInt32?
        for index in range {
            guard let entry = tables.stringLists.record(at: index, in: bytes)?.reference else { return }
            let offset = tables.stringLists.offset(of: index)
            guard entry.index < tables.strings.count else {
                throw DataFileError(.badReference, section: "stringLists", offset: offset)
            }
            guard before.map({ $0 < entry.number }) ?? true else {
                throw DataFileError(.unordered, section: "stringLists", offset: offset)
            }
            before = entry.number
        }
    }

    private func checkNumbers(_ range: Range<Int>, _ kind: ValueKind, mayRepeat: Bool, _ bytes: RawSpan)
        throws(DataFileError)
    {
        var before: Int64?
        for index in range {
            guard let number = tables.numberLists.record(at: index, in: bytes)?.number else { return }
            let offset = tables.numberLists.offset(of: index)
            guard kind.canBe(number) else {
                throw DataFileError(.badValue, section: "numberLists", offset: offset)
            }
            guard before.map({ $0 < number || mayRepeat && $0 == number }) ?? true else {
                throw DataFileError(.unordered, section: "numberLists", offset: offset)
            }
            before = number
        }
    }

    private func checkLeftovers(_ taken: TakenEntries) throws(DataFileError) {
        guard taken.strings == tables.stringLists.count else {
            let offset = tables.stringLists.offset(of: taken.strings)
            throw DataFileError(.badReference, section: "stringLists", offset: offset)
        }
        guard taken.numbers == tables.numberLists.count else {
            let offset = tables.numberLists.offset(of: taken.numbers)
            throw DataFileError(.badReference, section: "numberLists", offset: offset)
        }
    }

    private func error(_ reason: DataFileError.Reason, _ offset: Int) -> DataFileError {
        DataFileError(reason, section: "conditions", offset: offset)
    }
}
