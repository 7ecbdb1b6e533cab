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
                        lines.append(Explanation.Line(depth, "…", "shown above"))
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

extension Explanation {
    /// Returns the line of a condition's node: its truth, and for a predicate the value of the fact.
    func line(of node: Condition?, _ truth: Truth, depth: Int) -> Line {
        guard let node else { return Line(depth, "damaged", truth.rawValue) }
        var result = truth.rawValue
        var details = [Detail("operation", node.operation.word), Detail("truth", truth.rawValue)]
        if case .segment(let index) = node { details.append(Detail("segment", file.segmentName(at: index))) }
        if let fact = node.fact {
            result += " (\(fact.text(in: file)) is \(text(of: fact)))"
            details += [Detail("fact", fact.text(in: file)), Detail("value", value(of: fact))]
        }
        return Line(depth, node.headline(in: file), result, details)
    }

    /// Returns the line of a rule's condition: its truth, and the missing facts that made it unknown.
    func line(ofWhen truth: Truth?, _ rule: Int, _ truths: [Int: Truth]) -> Line {
        let missing = truth == .unknown ? missingFacts(ofRule: rule, truths).map { $0.text(in: file) } : []
        let words = missing.isEmpty ? "" : " (\(missing.joined(separator: ", ")) missing)"
        return Line(
            1, "when", truth.map { $0.rawValue + words } ?? "always",
            [
                Detail("passes", truth == nil || truth == .true), Detail("truth", truth?.rawValue),
                Detail("missing", texts: missing),
            ])
    }

    /// Returns the facts whose absence made a rule's condition unknown, in the order of the condition: the facts of
    /// predicates that are unknown and stand only below nodes that are unknown, too. `truths` has the truth of each
    /// node that was evaluated so far; a node that was not evaluated decided nothing.
    private func missingFacts(ofRule rule: Int, _ truths: [Int: Truth]) -> [Fact] {
        let tables = file.tables
        return file.withBytes { bytes in
            guard let root = tables.rules.record(at: rule, in: bytes)?.condition else { return [] }
            var missing: [Fact] = []
            // Two segments may refer to the same segment, so each node is visited once.
            var seen: Set<Int> = []
            var waiting = [root.index]
            while let index = waiting.popLast() {
                guard truths[index] == .unknown, seen.insert(index).inserted,
                    let node = tables.conditions.record(at: index, in: bytes),
                    let operation = ConditionOperation(rawValue: node.operation)
                else { continue }
                guard operation.isPredicate else {
                    waiting += node.children(in: tables, bytes).reversed()
                    continue
                }
                if let fact = Fact(number: node.fact), !missing.contains(fact), value(of: fact) == nil {
                    missing.append(fact)
                }
            }
            return missing
        }
    }
}

extension Condition {
    /// Returns a predicate as the rules language writes it, or the operator of a group, or `segment` with its name.
    func headline(in file: RulesFile) -> String {
        switch self {
        case .all, .any, .not: operation.word
        case .segment(let index): "\(operation.word) \(file.segmentName(at: index) ?? "\(index)")"
        case .predicate(let predicate):
            "\(predicate.fact.text(in: file)) \(operation.word) \(Self.operandText(of: predicate))"
        }
    }

    /// Returns the operand that a predicate compares its fact with, as text.
    private static func operandText(of predicate: Predicate) -> String {
        switch predicate.operation.operand {
        case .conditions, .segment: ""
        case .value, .part, .flag, .days: predicate.operands.first?.text ?? ""
        case .list, .range: text(of: predicate.operands)
        }
    }

    /// Returns a list as text, cut after five values.
    private static func text(of values: [FactValue]) -> String {
        let shown = values.prefix(5).map(\.text)
        let rest = values.count > shown.count ? ["and \(values.count - shown.count) more"] : []
        return "[" + (shown + rest).joined(separator: ", ") + "]"
    }
}
