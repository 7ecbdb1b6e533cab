internal import System

/// The places of the sections of a rules file, and its settings. Made once, when the file is opened.
public struct RulesTables: Sendable {
    public let strings: StringTable
    /// The settings of the whole file.
    public let settings: SettingsRecord
    /// The locale fallbacks: for a locale, the locale to try next. In the order of the locales' numbers.
    public let localeFallbacks: RecordTable<FallbackRecord>
    public let messages: RecordTable<MessageRecord>
    /// The identifiers of all messages.
    public let messageIdentifiers: RecordTable<IdentifierRecord>
    /// The rules, in the order of evaluation.
    public let rules: RecordTable<RuleRecord>
    /// The outcomes of rules, of arms, of the holdout and of the default.
    public let outcomes: RecordTable<OutcomeRecord>
    /// The nodes of all conditions.
    public let conditions: RecordTable<ConditionRecord>
    /// The strings that conditions list.
    public let stringLists: RecordTable<ReferenceRecord>
    /// The numbers, dates and truth values that conditions list.
    public let numberLists: RecordTable<NumberRecord>
    /// The declared facts.
    public let factDeclarations: RecordTable<FactDeclarationRecord>
    /// The segments: conditions with a name.
    public let segments: RecordTable<SegmentRecord>
    /// The splits of the holdout, of rollouts and of arms.
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
    /// The numbers of the rules that may match for each product.
    public let ruleLists: RecordTable<ReferenceRecord>

    /// Finds the sections.
    ///
    /// - Throws: `data-file.truncated`, `.bad-section-length`.
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

    /// Reads the places, which are inside the file.
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
