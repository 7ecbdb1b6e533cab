package import Facts
internal import System

package struct RulesTables: Sendable {
    package let strings: StringTable
    package let settings: SettingsRecord
    /// The locale fallbacks: for a locale, the locale to try next. In the order of the locales' numbers.
    package let localeFallbacks: RecordTable<FallbackRecord>
    package let messages: RecordTable<MessageRecord>
    package let messageIdentifiers: RecordTable<IdentifierRecord>
    package let rules: RecordTable<RuleRecord>
    package let outcomes: RecordTable<OutcomeRecord>
    package let conditions: RecordTable<ConditionRecord>
    package let stringLists: RecordTable<ReferenceRecord>
    package let numberLists: RecordTable<NumberRecord>
    package let factDeclarations: RecordTable<FactDeclarationRecord>
    package let segments: RecordTable<SegmentRecord>
    package let splits: RecordTable<SplitRecord>
    /// The rollouts and the arms of rules; entry N belongs to rule N.
    package let ruleSteps: RecordTable<RuleStepsRecord>
    package let arms: RecordTable<ArmRecord>
    /// The holdout; at most one entry.
    package let holdout: RecordTable<HoldoutRecord>
    /// The limits on how often a subscriber gets an offer; at most one entry.
    package let caps: RecordTable<CapsRecord>
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    package let productRules: RecordTable<ProductRulesRecord>
    package let ruleLists: RecordTable<ReferenceRecord>

    init(_ bytes: RawSpan) throws(DataFileError) {
        let places = try RulesPlaces(bytes)
        strings = StringTable(
            index: try places.table(.stringIndex), poolOffset: places[.strings].lowerBound,
            poolByteCount: places[.strings].count, buckets: try places.table(.stringBuckets))
        let settings = SettingsRecord(reading: bytes, at: places[.settings].lowerBound)
        guard let settings else { throw DataFileError(.truncated, offset: places[.settings].lowerBound) }
        self.settings = settings
        localeFallbacks = try places.table(.localeFallbacks)
        messages = try places.table(.messages)
        messageIdentifiers = try places.table(.messageIdentifiers)
        rules = try places.table(.rules)
        outcomes = try places.table(.outcomes)
        conditions = try places.table(.conditions)
        stringLists = try places.table(.stringLists)
        numberLists = try places.table(.numberLists)
        factDeclarations = try places.table(.factDeclarations)
        segments = try places.table(.segments)
        splits = try places.table(.splits)
        ruleSteps = try places.table(.ruleSteps)
        arms = try places.table(.arms)
        holdout = try places.table(.holdout)
        caps = try places.table(.caps)
        productRules = try places.table(.productRules)
        ruleLists = try places.table(.ruleLists)
    }
}

/// The beginning of a rules file: the digest of its source, then the place of each section, 16 bytes each.
struct RulesPlaces {
    static let digestByteCount = 32
    static let byteCount = digestByteCount + 16 * RulesSection.allCases.count
    private var places: [Range<Int>] = []

    init(_ bytes: RawSpan) throws(DataFileError) {
        for section in RulesSection.allCases {
            let place = Self.digestByteCount + 16 * section.rawValue
            guard let offset = bytes.uint64(at: place).flatMap({ Int(exactly: $0) }),
                let byteCount = bytes.uint64(at: place + 8).flatMap({ Int(exactly: $0) }),
                bytes.contains(offset: offset, byteCount: byteCount)
            else { throw DataFileError(.truncated, offset: place) }
            places.append(offset..<offset + byteCount)
        }
    }

    subscript(section: RulesSection) -> Range<Int> { places[section.rawValue] }

    func table<Record: FileRecord>(_ section: RulesSection) throws(DataFileError) -> RecordTable<Record> {
        let place = self[section]
        guard place.count % Record.byteCount == 0 else {
            throw DataFileError(.badSectionLength, section: "\(section)", offset: place.lowerBound)
        }
        return RecordTable(offset: place.lowerBound, count: place.count / Record.byteCount)
    }
}

extension ConditionRecord {
    /// Returns the values that a predicate compares its fact with; an empty list for a group and for a segment.
    package func operands(in tables: RulesTables, _ bytes: RawSpan) -> [FactValue] {
        let kind = ValueKind(rawValue: valueKind) ?? .string
        switch ConditionOperation(rawValue: operation)?.operand {
        case .flag: return [.boolean(value != 0)]
        case .days: return [.integer(value)]
        case .value, .part:
            return [FactValue(kind, value, string: { tables.strings.string(first, in: bytes) })]
        case .list, .range:
            return (first.index..<first.index + Int(count)).map { index in
                FactValue(kind, tables.numberLists.record(at: index, in: bytes)?.number ?? 0) {
                    tables.stringLists.record(at: index, in: bytes).flatMap {
                        tables.strings.string($0.reference, in: bytes)
                    }
                }
            }
        case .conditions, .segment, nil: return []
        }
    }
}

extension FactValue {
    fileprivate init(_ kind: ValueKind, _ number: Int64, string: () -> String?) {
        switch kind {
        case .string: self = .string(string() ?? "")
        case .date: self = .date(number)
        case .integer: self = .integer(number)
        case .boolean: self = .boolean(number != 0)
        }
    }
}
