internal import System

/// The limits that bound the time of a decision.
extension RulesChecker {
    func checkLimits(_ bytes: RawSpan) throws(DataFileError) {
        guard tables.rules.count <= DataFileLimits.ruleCount else {
            throw error(.tooMuchWork, .rules, tables.rules.offset(of: DataFileLimits.ruleCount))
        }
        var segments: [Int] = []
        for index in 0..<tables.segments.count {
            let root: EntryReference = tables.segments.record(at: index, in: bytes)?.condition ?? .none
            segments.append(conditionCount(root, segments, bytes))
        }
        var count = 0
        for index in 0..<tables.rules.count {
            let root: EntryReference = tables.rules.record(at: index, in: bytes)?.condition ?? .none
            count += conditionCount(root, segments, bytes)
            guard count <= DataFileLimits.conditionCount else {
                throw error(.tooMuchWork, .rules, tables.rules.offset(of: index))
            }
        }
    }

    /// Returns the number of conditions in a tree that has been checked; a segment counts at each place that names it.
    /// Above the limit, returns the limit plus one.
    private func conditionCount(_ root: EntryReference, _ segments: [Int], _ bytes: RawSpan) -> Int {
        guard !root.isNone, let node = tables.conditions.record(at: root.index, in: bytes) else { return 0 }
        switch ConditionOperation(rawValue: node.operation)?.operand {
        case .segment: return segments[node.first.index]
        case .conditions:
            var count = 1
            for child in node.first.index..<node.first.index + Int(node.count) {
                count += conditionCount(EntryReference(UInt32(child)), segments, bytes)
                if count > DataFileLimits.conditionCount { return DataFileLimits.conditionCount + 1 }
            }
            return count
        default: return 1
        }
    }
}
