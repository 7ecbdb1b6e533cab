/// The kinds of a term of a rule's condition. The numbers are those of the file.
public enum TermKind {
    /// The rule has no term, so it always matches. Only in heads.
    public static let none: UInt8 = 0
    /// A fact is compared with a value.
    public static let comparison: UInt8 = 1
    /// A fact is looked up in a list of strings.
    public static let strings: UInt8 = 2
    /// A fact is looked up in a list of numbers.
    public static let numbers: UInt8 = 3
    /// Any other condition: a node in `conditions`.
    public static let tree: UInt8 = 4
    /// The rule is switched off. Only in heads.
    public static let disabled: UInt8 = 5
}

/// The bits of ``TermRecord/accepted``.
public enum TermOrder {
    /// The term is true when the fact is less than the value.
    public static let less: UInt8 = 1
    /// The term is true when the fact equals the value.
    public static let equal: UInt8 = 2
    /// The term is true when the fact is greater than the value.
    public static let greater: UInt8 = 4
}

/// The conditions of rules as short lists of terms, all of which must be true. The server reads these lists. Both the
/// writer and the reader that checks a file derive them from the conditions alone.
///
/// If the root is an `all`, its children are the terms, and every `all` among them is taken apart in the same way. Any
/// other root is the only term. A term about the product is left out when the index by product already makes it true.
/// In three-valued logic `all` gives the same in any order, so the cheap terms come first. Among equally cheap terms,
/// those that the fewest rules share come first, because they are the likeliest to tell the rule from others.
package struct RuleTerms {
    package private(set) var terms: [TermRecord] = []
    /// For each rule, the range of its terms in ``terms``, without the first term.
    package private(set) var ranges: [Range<Int>] = []
    /// For each rule, the part that the server reads first, with the first term.
    package private(set) var heads: [RuleHeadRecord] = []

    /// Derives the terms of the rules' conditions. `isNamed` tells for each rule whether the index by product has all
    /// its products; `node` returns the node with a number.
    package init(_ rules: [RuleRecord], isNamed: [Bool], node: (Int) -> ConditionRecord?) {
        let lists = zip(rules, isNamed).map { rule, isNamed in
            rule.condition.isNone ? [] : Self.terms(of: rule.condition.index, 0, isNamed, node)
        }
        var sharing: [TermRecord: Int] = [:]
        for list in lists { for term in list { sharing[term, default: 0] += 1 } }
        for (rule, list) in zip(rules, lists) {
            let start = terms.count
            let ranked = list.enumerated().map { (rank: ($1.kind, sharing[$1] ?? 0, $0), term: $1) }
            let sorted = ranked.sorted { $0.rank < $1.rank }.map(\.term)
            heads.append(Self.head(of: rule, sorted.first))
            terms += sorted.dropFirst()
            ranges.append(start..<terms.count)
        }
    }

    private static func head(of rule: RuleRecord, _ term: TermRecord?) -> RuleHeadRecord {
        var term = term ?? TermRecord { $0.kind = TermKind.none }
        if rule.flags & RuleFlags.enabled == 0 { term.kind = TermKind.disabled }
        return RuleHeadRecord {
            $0.term = term
            $0.windowFrom = rule.windowFrom
            $0.windowTo = rule.windowTo
        }
    }

    private static func terms(of index: Int, _ depth: Int, _ isNamed: Bool, _ node: (Int) -> ConditionRecord?)
        -> [TermRecord]
    {
        guard depth <= DataFileLimits.conditionDepth, let record = node(index) else { return [] }
        guard record.operation == ConditionOperation.all.rawValue else {
            return term(of: record, index, isNamed).map { [$0] } ?? []
        }
        let start = record.first.index
        return (start..<start + Int(record.count)).flatMap { terms(of: $0, depth + 1, isNamed, node) }
    }

    /// Returns the term for a node; nil when the index by product already makes it true.
    private static func term(of node: ConditionRecord, _ index: Int, _ isNamed: Bool) -> TermRecord? {
        var term = TermRecord {
            $0.kind = TermKind.tree
            $0.first = EntryReference(UInt32(truncatingIfNeeded: index))
        }
        guard let operation = ConditionOperation(rawValue: node.operation), let fact = Fact(number: node.fact)
        else { return term }
        if isNamed, fact == .productId, operation.namesValues { return nil }
        let isString = node.valueKind == ValueKind.string.rawValue
        guard let accepted = operation.accepted else { return term }
        term.accepted = accepted
        if operation.operand == .list {
            term.kind = isString ? TermKind.strings : TermKind.numbers
            term.first = node.first
            term.value = Int64(node.count)
        } else {
            term.kind = TermKind.comparison
            term.first = .none
            term.value = isString ? Int64(node.first.number) : node.value
        }
        term.valueKind = node.valueKind
        term.slot = UInt8(truncatingIfNeeded: fact.slot)
        return term
    }
}
