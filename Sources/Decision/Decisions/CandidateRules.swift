internal import DataFiles

/// The rules that may match for a product, in their order: those that name it and those that may match for any, two
/// ascending lists of the file taken together. All rules of a file that has no index.
struct CandidateRules {
    private let lists: RecordTable<ReferenceRecord>
    /// Places in `ruleLists`: of rules for any product, and of rules for this one.
    private var always: Int
    /// Below zero when there is no index.
    private var named: Int
    private let alwaysEnd: Int
    private let namedEnd: Int
    /// The rules at those places; ``end`` when a list is at its end.
    private var alwaysHead = Self.end
    private var namedHead = Self.end
    /// Behind the last rule that one who listens has heard of.
    var heard = 0

    /// Stands for no rule.
    static var end: UInt32 { .max }

    init(_ file: RulesFile, product: EntryReference, _ bytes: RawSpan) {
        lists = file.tables.ruleLists
        guard let any = file.tables.productRules.record(at: 0, in: bytes) else {
            // Without an index all rules are candidates: they count as one list whose places are the rules.
            (always, alwaysEnd, named, namedEnd) = (0, 0, -1, file.tables.rules.count)
            namedHead = namedEnd > 0 ? 0 : Self.end
            return
        }
        always = Int(any.first)
        alwaysEnd = always + Int(any.count)
        let own = Self.entry(of: product, file, bytes)
        named = Int(own?.first ?? 0)
        namedEnd = named + Int(own?.count ?? 0)
        alwaysHead = head(always, alwaysEnd, bytes)
        namedHead = head(named, namedEnd, bytes)
    }

    /// The next rule; ``end`` after the last one.
    @inline(__always)
    mutating func next(_ bytes: RawSpan) -> UInt32 {
        if alwaysHead < namedHead {
            let rule = alwaysHead
            always &+= 1
            alwaysHead = head(always, alwaysEnd, bytes)
            return rule
        }
        let rule = namedHead
        guard rule != Self.end else { return rule }
        guard named >= 0 else {
            namedHead = Int(rule) &+ 1 < namedEnd ? rule &+ 1 : Self.end
            return rule
        }
        named &+= 1
        namedHead = head(named, namedEnd, bytes)
        return rule
    }

    /// Passes over candidates, in their order, that `isOut` says cannot match.
    ///
    /// - Returns: the first of which it does not say so, behind which the candidates go on; ``end`` after the last one.
    @inline(__always)
    mutating func next(_ bytes: RawSpan, passingOver isOut: (Int) -> Bool) -> UInt32 {
        guard named >= 0 else {
            while true {
                let rule = next(bytes)
                if rule == Self.end || !isOut(Int(rule)) { return rule }
            }
        }
        // One list goes on for as long as its rules come before the next one of the other.
        while alwaysHead != namedHead {
            let isAlways = alwaysHead < namedHead
            let limit = isAlways ? namedHead : alwaysHead
            let end = isAlways ? alwaysEnd : namedEnd
            var place = isAlways ? always : named
            var rule = isAlways ? alwaysHead : namedHead
            while rule < limit, isOut(Int(rule)) {
                place &+= 1
                rule = head(place, end, bytes)
            }
            let found = rule
            if found < limit {
                place &+= 1
                rule = head(place, end, bytes)
            }
            if isAlways { (always, alwaysHead) = (place, rule) } else { (named, namedHead) = (place, rule) }
            if found < limit { return found }
        }
        // Both are at their end, or a damaged file has a rule in both.
        return next(bytes)
    }

    @inline(__always)
    private func head(_ place: Int, _ end: Int, _ bytes: RawSpan) -> UInt32 {
        guard place < end, let rule = lists.record(at: place, in: bytes) else { return Self.end }
        return rule.reference.number
    }

    /// The entry of a product: all but the first are in the order of their strings.
    private static func entry(
        of product: EntryReference,
        _ file: RulesFile,
        _ bytes: RawSpan
    ) -> ProductRulesRecord? {
        guard !product.isNone else { return nil }
        var low = 1
        var high = file.tables.productRules.count
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = file.tables.productRules.record(at: middle, in: bytes) else { return nil }
            if entry.productId == product { return entry }
            if entry.productId.number < product.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
