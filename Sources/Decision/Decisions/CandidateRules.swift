internal import DataFiles

/// The rules that may match for a product, in the order of the file. The file has two ascending lists, the rules that
/// name the product and the rules that may match for any product; this type merges them.
struct CandidateRules {
    /// The part of one list of rules that is still to come.
    private struct List {
        /// The place in `ruleLists` of the next rule.
        private var place: Int
        /// The place in `ruleLists` after the last rule.
        private let end: Int
        /// The number of the next rule; ``CandidateRules/end`` after the last one.
        private(set) var rule = CandidateRules.end

        init(_ entry: ProductRulesRecord?, _ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place = Int(entry?.first ?? 0)
            end = place + Int(entry?.count ?? 0)
            read(lists, bytes)
        }

        @inline(__always)
        mutating func advance(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place &+= 1
            read(lists, bytes)
        }

        @inline(__always)
        private mutating func read(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            let record = place < end ? lists.record(at: place, in: bytes) : nil
            rule = record?.reference.number ?? CandidateRules.end
        }
    }

    private let lists: RecordTable<ReferenceRecord>
    /// The rules that may match for any product.
    private var always: List
    /// The rules that name this product.
    private var named: List

    /// The number that stands for "no more rules".
    private static var end: UInt32 { .max }

    init(_ file: RulesFile, product: EntryReference, _ bytes: RawSpan) {
        lists = file.tables.ruleLists
        let entries = file.tables.productRules
        always = List(entries.record(at: 0, in: bytes), lists, bytes)
        named = List(
            entries.find(product, in: 1..<max(1, entries.count), bytes) { $0.productId }, lists, bytes)
    }

    /// Returns the number of the next candidate and moves on; returns nil after the last one.
    @inline(__always)
    mutating func next(_ bytes: RawSpan) -> Int? {
        let rule = min(always.rule, named.rule)
        guard rule != Self.end else { return nil }
        if always.rule == rule { always.advance(lists, bytes) } else { named.advance(lists, bytes) }
        return Int(rule)
    }
}
