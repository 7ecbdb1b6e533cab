public import Facts
internal import System

public struct RulesTables: Sendable {
    public let strings: StringTable
    public let settings: SettingsRecord
    /// The locale fallbacks: for a locale, the locale to try next. In the order of the locales' numbers.
    public let localeFallbacks: RecordTable<FallbackRecord>
    public let messages: RecordTable<MessageRecord>
    public let messageIdentifiers: RecordTable<IdentifierRecord>
    public let rules: RecordTable<RuleRecord>
    public let outcomes: RecordTable<OutcomeRecord>
    public let conditions: RecordTable<ConditionRecord>
    public let stringLists: RecordTable<ReferenceRecord>
    public let numberLists: RecordTable<NumberRecord>
    public let factDeclarations: RecordTable<FactDeclarationRecord>
    public let segments: RecordTable<SegmentRecord>
    public let splits: RecordTable<SplitRecord>
    /// The rollouts and the arms of rules; entry N belongs to rule N.
    public let ruleSteps: RecordTable<RuleStepsRecord>
    public let arms: RecordTable<ArmRecord>
    /// The holdout; at most one entry.
    public let holdout: RecordTable<HoldoutRecord>
    /// The limits on how often a subscriber gets an offer; at most one entry.
    public let caps: RecordTable<CapsRecord>
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    public let productRules: RecordTable<ProductRulesRecord>
    public let ruleLists: RecordTable<ReferenceRecord>

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
    public func operands(in tables: RulesTables, _ bytes: RawSpan) -> [FactValue] {
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
