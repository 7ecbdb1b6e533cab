/// Finds for each rule the predicate that most likely tells it from the others, so that a decision can pass over most
/// rules after one comparison: of the children of its root `all`, the comparison with one value that the fewest rules
/// share. `eq` of productId is left out, because the index by product has answered it already.
///
/// - Parameters:
///   - roots: the roots of the rules' conditions.
///   - node: returns the node with a number.
/// - Returns: the number of a node for each rule; none for a rule without such a comparison.
package func selectivePredicates(of roots: [EntryReference], node: (Int) -> ConditionRecord?)
    -> [EntryReference]
{
    let comparisons = roots.map { root -> [(index: Int, record: ConditionRecord)] in
        guard !root.isNone, let all = node(root.index), all.operation == ConditionOperation.all.rawValue
        else { return [] }
        return (all.first.index..<all.first.index + Int(all.count)).compactMap { index in
            guard let child = node(index),
                let operation = ConditionOperation(rawValue: child.operation), operation.operand == .value,
                child.fact != Fact.productId.number || !operation.namesValues
            else { return nil }
            return (index, child)
        }
    }
    var sharing: [ConditionRecord: Int] = [:]
    for (_, record) in comparisons.joined() { sharing[record, default: 0] += 1 }
    return comparisons.map { own in
        let rarest = own.min { sharing[$0.record, default: 0] < sharing[$1.record, default: 0] }
        return rarest.map { EntryReference(UInt32(truncatingIfNeeded: $0.index)) } ?? .none
    }
}
