internal import System

/// Checks that the nodes of a file's conditions are trees of the allowed depth, each node in exactly one place, and
/// that every predicate compares a fact with values of its kind.
struct ConditionChecker {
    let tables: RulesTables

    /// Children stand after their parent, so one pass from the front knows the depth of every node. A node that
    /// nobody reached before its turn belongs to no rule.
    func check(_ bytes: RawSpan) throws(DataFileError) {
        let nodes = tables.conditions
        var depths = [UInt8](repeating: 0, count: nodes.count)
        for index in 0..<tables.rules.count {
            guard let root = tables.rules.record(at: index, in: bytes)?.condition, !root.isNone else {
                continue
            }
            guard depths[root.index] == 0 else {
                throw DataFileError(
                    .badCondition,
                    section: "rules",
                    offset: tables.rules.offset(of: index) + 8
                )
            }
            depths[root.index] = 1
        }
        var takenStrings = 0
        var takenDates = 0
        for index in 0..<nodes.count {
            guard let node = nodes.record(at: index, in: bytes) else { return }
            let offset = nodes.offset(of: index)
            guard depths[index] > 0 else { throw error(.badCondition, offset) }
            guard node.reserved == 0 else { throw error(.badValue, offset + 12) }
            guard let operation = ConditionOperation(rawValue: node.operation) else {
                throw error(.badValue, offset)
            }
            if operation.isGroup {
                try checkGroup(node, operation, at: index, &depths)
            } else {
                try checkPredicate(node, operation, offset, bytes, &takenStrings, &takenDates)
            }
        }
        guard takenStrings == tables.stringLists.count else {
            throw DataFileError(
                .badReference,
                section: "stringLists",
                offset: tables.stringLists.offset(of: takenStrings)
            )
        }
        guard takenDates == tables.dateLists.count else {
            throw DataFileError(
                .badReference,
                section: "dateLists",
                offset: tables.dateLists.offset(of: takenDates)
            )
        }
    }

    private func checkGroup(
        _ node: ConditionRecord,
        _ operation: ConditionOperation,
        at index: Int,
        _ depths: inout [UInt8]
    ) throws(DataFileError) {
        let offset = tables.conditions.offset(of: index)
        guard node.valueKind == 0, node.fact == 0, node.value == 0 else { throw error(.badValue, offset + 1) }
        guard Int(depths[index]) <= DataFileLimits.conditionDepth else { throw error(.badCondition, offset) }
        guard node.first.index > index, node.first.index < depths.count else {
            throw error(.badCondition, offset + 4)
        }
        guard node.count > 0, Int(node.count) <= depths.count - node.first.index,
            operation != .not || node.count == 1
        else { throw error(.badCondition, offset + 8) }
        for child in node.first.index..<node.first.index + Int(node.count) {
            guard depths[child] == 0 else { throw error(.badCondition, offset + 4) }
            depths[child] = depths[index] + 1
        }
    }

    /// Predicates take their lists in turn, as messages take their identifiers.
    private func checkPredicate(
        _ node: ConditionRecord,
        _ operation: ConditionOperation,
        _ offset: Int,
        _ bytes: RawSpan,
        _ takenStrings: inout Int,
        _ takenDates: inout Int
    ) throws(DataFileError) {
        guard let fact = Fact(rawValue: node.fact) else { throw error(.badValue, offset + 2) }
        guard let kind = ValueKind(rawValue: node.valueKind), kind == fact.valueKind,
            kind == .string || operation != .prefix
        else { throw error(.badValue, offset + 1) }
        if operation.hasList {
            guard node.value == 0 else { throw error(.badValue, offset + 16) }
            let isStrings = kind == .string
            let taken = isStrings ? takenStrings : takenDates
            let available = isStrings ? tables.stringLists.count : tables.dateLists.count
            guard node.first.index == taken else { throw error(.badReference, offset + 4) }
            guard node.count > 0, Int(node.count) <= available - taken else {
                throw error(.badReference, offset + 8)
            }
            let end = taken + Int(node.count)
            try checkOrder(taken..<end, isStrings: isStrings, bytes)
            if isStrings { takenStrings = end } else { takenDates = end }
        } else {
            guard node.count == 0 else { throw error(.badValue, offset + 8) }
            switch kind {
            case .string:
                guard node.first.index < tables.strings.count else { throw error(.badReference, offset + 4) }
                guard node.value == 0 else { throw error(.badValue, offset + 16) }
            case .date:
                guard node.first.isNone else { throw error(.badReference, offset + 4) }
                guard DataFileLimits.dateRange.contains(node.value) else {
                    throw error(.badValue, offset + 16)
                }
            }
        }
    }

    private func checkOrder(_ range: Range<Int>, isStrings: Bool, _ bytes: RawSpan) throws(DataFileError) {
        for index in range.dropFirst() {
            if isStrings {
                guard let left = tables.stringLists.record(at: index - 1, in: bytes),
                    let right = tables.stringLists.record(at: index, in: bytes),
                    left.reference.number < right.reference.number
                else {
                    throw DataFileError(
                        .unordered,
                        section: "stringLists",
                        offset: tables.stringLists.offset(of: index)
                    )
                }
            } else {
                guard let left = tables.dateLists.record(at: index - 1, in: bytes),
                    let right = tables.dateLists.record(at: index, in: bytes),
                    left.milliseconds < right.milliseconds
                else {
                    throw DataFileError(
                        .unordered,
                        section: "dateLists",
                        offset: tables.dateLists.offset(of: index)
                    )
                }
            }
        }
    }

    private func error(_ reason: DataFileError.Reason, _ offset: Int) -> DataFileError {
        DataFileError(reason, section: "conditions", offset: offset)
    }
}
