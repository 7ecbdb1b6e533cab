/// The lines of a condition, in the order for people: a group before its children. They are told the other way
/// round, so they wait as trees until their group, or the segment whose condition they are, takes them.
struct ConditionTrace {
    private struct Tree {
        let depth: Int
        let line: Explanation.Line
        let children: [Tree]

        func lines(at depth: Int) -> [Explanation.Line] {
            [Explanation.Line(depth: depth, step: line.step, result: line.result)]
                + children.flatMap { $0.lines(at: depth + 1) }
        }
    }

    private var waiting: [Tree] = []

    /// Takes a node. The root of a segment's condition has depth 0 and is told right before the segment.
    mutating func add(_ depth: Int, _ line: Explanation.Line, isSegment: Bool) {
        var children: [Tree] = []
        if isSegment {
            if let root = waiting.last, root.depth == 0 { children = [waiting.removeLast()] }
        } else {
            while let child = waiting.last, child.depth == depth + 1 {
                children.insert(child, at: 0)
                waiting.removeLast()
            }
        }
        waiting.append(Tree(depth: depth, line: line, children: children))
    }

    /// The lines that wait, set in below the line of their rule's step.
    mutating func takeLines(below depth: Int) -> [Explanation.Line] {
        defer { waiting = [] }
        return waiting.flatMap { $0.lines(at: depth + 1) }
    }
}
