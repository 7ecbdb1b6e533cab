internal import DataFiles

/// The rules that may match for a product, in their order: those that name it and those that may match for any, two
/// ascending lists of the file taken together. All rules of a file that has no index.
struct CandidateRules {
    private let tables: RulesTables
    /// Places in `ruleLists`: of rules for any product, and of rules for this one.
    private var always: Int
    private var named: Int
    private let alwaysEnd: Int
    private let namedEnd: Int
    /// The rules at those places; the greatest number when a list is at its end.
    private var alwaysHead = Int.max
    private var namedHead = Int.max
    /// Without an index, the next rule of all.
    private var nextOfAll: Int?

    init(_ tables: RulesTables, product: EntryReference, _ bytes: RawSpan) {
        self.tables = tables
        guard let any = tables.productRules.record(at: 0, in: bytes) else {
            (always, named, alwaysEnd, namedEnd) = (0, 0, 0, 0)
            nextOfAll = 0
            return
        }
        always = Int(any.first)
        alwaysEnd = always + Int(any.count)
        let own = Self.entry(of: product, tables, bytes)
        named = Int(own?.first ?? 0)
        namedEnd = named + Int(own?.count ?? 0)
        alwaysHead = head(always, alwaysEnd, bytes)
        namedHead = head(named, namedEnd, bytes)
    }

    /// The next rule; nil after the last one.
    mutating func next(_ bytes: RawSpan) -> Int? {
        if let rule = nextOfAll {
            guard rule < tables.rules.count else { return nil }
            nextOfAll = rule + 1
            return rule
        }
        let rule: Int
        if alwaysHead < namedHead {
            rule = alwaysHead
            always += 1
            alwaysHead = head(always, alwaysEnd, bytes)
        } else {
            rule = namedHead
            named += 1
            namedHead = head(named, namedEnd, bytes)
        }
        return rule == .max ? nil : rule
    }

    private func head(_ place: Int, _ end: Int, _ bytes: RawSpan) -> Int {
        guard place < end, let rule = tables.ruleLists.record(at: place, in: bytes) else { return .max }
        return rule.reference.index
    }

    /// The entry of a product: all but the first are in the order of their strings.
    private static func entry(
        of product: EntryReference,
        _ tables: RulesTables,
        _ bytes: RawSpan
    ) -> ProductRulesRecord? {
        guard !product.isNone else { return nil }
        var low = 1
        var high = tables.productRules.count
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = tables.productRules.record(at: middle, in: bytes) else { return nil }
            if entry.productId == product { return entry }
            if entry.productId.number < product.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
