internal import DataFiles

/// The rules that may match for a product, in the order of the file. The file has two ascending lists, the rules that
/// name the product and the rules that may match for any product; this type merges them.
struct CandidateRules {
    /// The part of one list of rules that is still to come.
    struct List {
        /// The place in `ruleLists` of the next rule.
        private(set) var place: Int
        /// The place in `ruleLists` after the last rule.
        let end: Int
        /// The number of the next rule; ``CandidateRules/end`` after the last one.
        private(set) var rule = CandidateRules.end

        init(_ entry: ProductRulesRecord?, _ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place = Int(entry?.first ?? 0)
            end = place + Int(entry?.count ?? 0)
            rule = first(lists, bytes)
        }

        /// Moves on to the following rule.
        @inline(__always)
        mutating func advance(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place &+= 1
            rule = first(lists, bytes)
        }

        /// Continues at `place`, where `rule` stands.
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
    /// The rules that may match for any product.
    private var always: List
    /// The rules that name this product.
    private var named: List
    /// The number after the last rule that the tracer has received.
    var tracedEnd = 0

    /// The number that stands for "no more rules".
    static var end: UInt32 { .max }

    init(_ file: RulesFile, product: EntryReference, _ bytes: RawSpan) {
        lists = file.tables.ruleLists
        always = List(file.tables.productRules.record(at: 0, in: bytes), lists, bytes)
        named = List(Self.entry(of: product, file, bytes), lists, bytes)
    }

    /// Returns the number of the next candidate and moves on; returns ``end`` after the last one.
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

    /// Drops candidates that cannot match, then returns the next one.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the rules file.
    ///   - passOver: drops rules that cannot match from the front of a list, as long as their numbers are below
    ///     `limit`.
    /// - Returns: the first candidate that is left, or ``end`` after the last one. The next call continues after it.
    @inline(__always)
    mutating func next(_ bytes: RawSpan, passOver: (inout List, _ limit: UInt32) -> Void) -> UInt32 {
        // `passOver` works on the list whose next rule comes first, up to the next rule of the other list.
        while always.rule != named.rule {
            if always.rule < named.rule {
                passOver(&always, named.rule)
                if always.rule < named.rule { return next(bytes) }
            } else {
                passOver(&named, always.rule)
                if named.rule < always.rule { return next(bytes) }
            }
        }
        // Both lists are at their end, or a damaged file has the same rule in both.
        return next(bytes)
    }

    /// Returns the entry of a product. Binary search: all entries but the first are in the order of their strings.
    private static func entry(of product: EntryReference, _ file: RulesFile, _ bytes: RawSpan)
        -> ProductRulesRecord?
    {
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
