internal import DataFiles

extension Explanation {
    /// Returns the facts whose absence made a rule's condition unknown, in the order of the condition: the facts of
    /// predicates that are unknown and stand only below nodes that are unknown, too. `truths` has the truth of each
    /// node that was evaluated so far; a node that was not evaluated decided nothing.
    func missingFacts(ofRule rule: Int, _ truths: [Int: Truth]) -> [Fact] {
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
                if let fact = Fact(number: node.fact), !missing.contains(fact), reader.value(of: fact) == nil
                {
                    missing.append(fact)
                }
            }
            return missing
        }
    }
}
