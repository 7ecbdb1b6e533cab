internal import System

/// The checks of the derived sections: each is derived from the rest of the file once more and compared with the
/// file's.
extension RulesChecker {
    func checkIndex(_ bytes: RawSpan) throws(DataFileError) {
        let roots = ProductIndex.Roots(
            segments: (0..<tables.segments.count).map { index in
                tables.segments.record(at: index, in: bytes)?.condition ?? .none
            },
            rules: (0..<tables.rules.count).map { index in
                tables.rules.record(at: index, in: bytes)?.condition ?? .none
            }
        )
        let index = ProductIndex(
            roots,
            node: { tables.conditions.record(at: $0, in: bytes) },
            listed: { tables.stringLists.record(at: $0, in: bytes)?.reference.number }
        )
        try compare(index.entries, tables.productRules, .productRules, bytes)
        let rules = index.rules.map { rule in ReferenceRecord { $0.reference = EntryReference(rule) } }
        try compare(rules, tables.ruleLists, .ruleLists, bytes)
        try checkBuckets(bytes)
        let selective = selectivePredicates(of: roots.rules) { tables.conditions.record(at: $0, in: bytes) }
        for (index, predicate) in selective.enumerated()
        where tables.rules.record(at: index, in: bytes)?.selectivePredicate != predicate {
            let offset = tables.rules.offset(of: index)
            throw error(.indexMismatch, .rules, field(\RuleRecord.selectivePredicate, at: offset))
        }
    }

    private func checkBuckets(_ bytes: RawSpan) throws(DataFileError) {
        var found = StringBuckets(stringCount: tables.strings.count)
        for number in 0..<tables.strings.count {
            let reference = EntryReference(UInt32(truncatingIfNeeded: number))
            guard let range = tables.strings.range(of: reference, in: bytes) else { return }
            bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { found.enter(number, $0) }
            guard found.passedCount <= DataFileLimits.passedBucketCount * (number + 64) else {
                throw error(.tooMuchWork, .stringIndex, tables.strings.index.offset(of: number))
            }
        }
        try compare(found.buckets, tables.strings.buckets, .stringBuckets, bytes)
    }

    private func compare<Record: FileRecord & Equatable>(
        _ derived: [Record], _ table: RecordTable<Record>, _ section: RulesSection, _ bytes: RawSpan
    ) throws(DataFileError) {
        for (index, record) in derived.enumerated() where table.record(at: index, in: bytes) != record {
            throw error(.indexMismatch, section, table.offset(of: index))
        }
        guard table.count == derived.count else {
            throw error(.indexMismatch, section, table.offset(of: derived.count))
        }
    }
}
