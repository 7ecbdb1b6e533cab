internal import DataFiles

/// The rules that may match for a product, in their order: those that name it and those that may match for any, two
/// ascending lists of the file taken together.
struct CandidateRules {
    /// The rest of a list of rules.
    struct List {
        /// The place in `ruleLists` of the first one, and behind the last one.
        private(set) var place: Int
        let end: Int
        /// The first one; ``CandidateRules/end`` when there is none.
        private(set) var rule = CandidateRules.end

        init(_ entry: ProductRulesRecord?, _ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place = Int(entry?.first ?? 0)
            end = place + Int(entry?.count ?? 0)
            rule = first(lists, bytes)
        }

        /// Takes the first one away.
        @inline(__always)
        mutating func advance(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place &+= 1
            rule = first(lists, bytes)
        }

        /// Goes on at a place where this rule stands.
        @inline(__always)
        mutating func move(to place: Int, _ rule: UInt32) {
            self.place = place
            self.rule = rule
        }

        @inline(__always)
        private func first(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) -> UInt32 {
            guard place < end, let record = lists.record(at: place, in: bytes) else {
                return CandidateRules.end
            }
            return record.reference.number
        }
    }

    private let lists: RecordTable<ReferenceRecord>
    /// Rules for any product, and those for this one.
    private var always: List
    private var named: List
    /// Behind the last rule that one who listens has heard of.
    var heard = 0

    /// Stands for no rule.
    static var end: UInt32 { .max }

    init(_ file: RulesFile, product: EntryReference, _ bytes: RawSpan) {
        lists = file.tables.ruleLists
        always = List(file.tables.productRules.record(at: 0, in: bytes), lists, bytes)
        named = List(Self.entry(of: product, file, bytes), lists, bytes)
    }

    /// The next rule; ``end`` after the last one.
    @inline(__always)
    mutating func next(_ bytes: RawSpan) -> UInt32 {
        if always.rule < named.rule {
            defer { always.advance(lists, bytes) }
            return always.rule
        }
        let rule = named.rule
        guard rule != Self.end else { return rule }
        named.advance(lists, bytes)
        return rule
    }

    /// Passes over candidates that cannot match.
    ///
    /// - Parameters:
    ///   - bytes: those of the file.
    ///   - passOver: takes rules from the front of a list that cannot match, as long as they are below a limit.
    /// - Returns: the first one left, behind which the candidates go on; ``end`` after the last one.
    @inline(__always)
    mutating func next(_ bytes: RawSpan, passOver: (inout List, _ limit: UInt32) -> Void) -> UInt32 {
        // One list goes on for as long as its rules come before the next one of the other.
        while always.rule != named.rule {
            if always.rule < named.rule {
                passOver(&always, named.rule)
                if always.rule < named.rule { return next(bytes) }
            } else {
                passOver(&named, always.rule)
                if named.rule < always.rule { return next(bytes) }
            }
        }
        // Both are at their end, or a damaged file has a rule in both.
        return next(bytes)
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
