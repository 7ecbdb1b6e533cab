internal import DataFiles

/// Writes the lines of conditions: each group and each segment before its children, as they stand in the file. What was
/// not evaluated has no line.
///
/// The tracer hears of a segment's nodes once, where the segment is evaluated first, and of children before their
/// group. So the order of the lines comes from the file, and only the values come from the trace.
struct ConditionLines {
    /// Lines of an explanation that say again what stands further up. Segments may refer to segments twice each, so that
    /// writing them out in full every time could double at each level.
    static let repeatLimit = 2000

    let file: RulesFile
    /// What each node came to so far.
    var truths: [Int: Truth] = [:]
    private var written: Set<Int> = []
    private var repeatsLeft = Self.repeatLimit

    init(file: RulesFile) {
        self.file = file
    }

    /// The lines of a rule's condition, set in by `depth` and more. `line` makes the line of a node from what it says,
    /// what it came to and how far it is set in.
    mutating func lines(
        ofRule rule: Int,
        depth: Int,
        _ line: (Condition?, Truth, Int) -> Explanation.Line
    ) -> [Explanation.Line] {
        let tables = file.tables
        return file.withBytes { bytes in
            guard let root = tables.rules.record(at: rule, in: bytes)?.condition, !root.isNone else {
                return []
            }
            var lines: [Explanation.Line] = []
            var waiting = [(index: root.index, depth: depth)]
            while let (index, depth) = waiting.popLast() {
                guard let truth = truths[index] else { continue }
                if !written.insert(index).inserted {
                    guard repeatsLeft > 0 else {
                        lines.append(Explanation.Line(depth: depth, step: "…", result: "stands further up"))
                        continue
                    }
                    repeatsLeft -= 1
                }
                let reference = EntryReference(UInt32(truncatingIfNeeded: index))
                lines.append(line(Condition(reading: reference, depth: 0, tables, bytes), truth, depth))
                // The last one waits longest.
                let children =
                    tables.conditions.record(at: index, in: bytes)?.children(in: tables, bytes) ?? []
                waiting += children.reversed().map { ($0, depth + 1) }
            }
            return lines
        }
    }
}

extension ConditionRecord {
    /// The places of the nodes right below one: the children of a group, or the condition of a segment.
    func children(in tables: RulesTables, _ bytes: RawSpan) -> [Int] {
        switch ConditionOperation(rawValue: operation)?.operand {
        case .conditions:
            // A group of one has a count, too; no file has more nodes than it has.
            return Array(first.index..<first.index + min(max(1, Int(count)), tables.conditions.count))
        case .segment:
            return tables.segments.record(at: first.index, in: bytes).map { [$0.condition.index] } ?? []
        case .value, .part, .list, .range, .flag, .days, nil: return []
        }
    }
}
