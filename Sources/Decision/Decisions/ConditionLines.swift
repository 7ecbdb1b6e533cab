internal import DataFiles

/// Writes the lines of conditions: each group and each segment before its children, in the order of the file. A node
/// that was not evaluated gets no line.
///
/// The tracer receives the nodes of a segment only once, when the segment is first evaluated, and it receives children
/// before their group. So the order of the lines comes from the file, and only the values come from the trace.
struct ConditionLines {
    /// The most lines in an explanation that repeat a node written further up. Each segment may refer to another
    /// segment twice, so writing every reference in full could double the lines at each level.
    static let repeatLimit = 2000

    let file: RulesFile
    /// The truth of each node that was evaluated so far, by the number of the node.
    var truths: [Int: Truth] = [:]
    private var written: Set<Int> = []
    private var repeatsLeft = Self.repeatLimit

    init(file: RulesFile) {
        self.file = file
    }

    /// Returns the lines of a rule's condition, indented by `depth` and more. The closure `line` makes the line of one
    /// node from the node, its truth and its indentation.
    mutating func lines(ofRule rule: Int, depth: Int, _ line: (Condition?, Truth, Int) -> Explanation.Line)
        -> [Explanation.Line]
    {
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
                        lines.append(Explanation.Line(depth: depth, step: "…", result: "shown above"))
                        continue
                    }
                    repeatsLeft -= 1
                }
                let reference = EntryReference(UInt32(truncatingIfNeeded: index))
                lines.append(line(Condition(reading: reference, depth: 0, tables, bytes), truth, depth))
                // `popLast` takes the last element first, so the children go in in reverse order.
                let children =
                    tables.conditions.record(at: index, in: bytes)?.children(in: tables, bytes) ?? []
                waiting += children.reversed().map { ($0, depth + 1) }
            }
            return lines
        }
    }
}

extension ConditionRecord {
    /// Returns the numbers of the nodes directly below this one: the children of a group, or the condition of a
    /// segment.
    func children(in tables: RulesTables, _ bytes: RawSpan) -> [Int] {
        switch ConditionOperation(rawValue: operation)?.operand {
        case .conditions:
            // `not` has one child and a count, too. A damaged file's count is limited to the number of nodes.
            return Array(first.index..<first.index + min(max(1, Int(count)), tables.conditions.count))
        case .segment:
            return tables.segments.record(at: first.index, in: bytes).map { [$0.condition.index] } ?? []
        case .value, .part, .list, .range, .flag, .days, nil: return []
        }
    }
}
