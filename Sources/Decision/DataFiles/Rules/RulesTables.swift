internal import System

/// The places of the sections of a rules file, and its settings. Made once, when the file is opened.
public struct RulesTables: Sendable {
    public let strings: StringTable
    /// The settings of the whole file.
    public let settings: SettingsRecord
    /// The author's metadata about the file.
    public let metadata: RecordTable<MetadatumRecord>
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
    /// The products that the author declares.
    public let products: RecordTable<ProductRecord>
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
    /// The tests that the author put into the file.
    public let tests: RecordTable<TestRecord>
    /// The facts of the tests' subscribers.
    public let testFacts: RecordTable<TestFactRecord>

    let settingsOffset: Int

    /// Finds the sections, and skips those of a kind that this program does not know.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    init(header: DataFileHeader, bytes: RawSpan) throws(DataFileError) {
        strings = try header.strings(
            limit: DataFileLimits.entryCount,
            buckets: Self.table(.stringBuckets, in: header, limit: 4 * DataFileLimits.entryCount))
        (settings, settingsOffset) = try header.entry(RulesSection.settings, in: bytes)
        metadata = try Self.table(.metadata, in: header)
        localeFallbacks = try Self.table(.localeFallbacks, in: header)
        messages = try Self.table(.messages, in: header)
        messageIdentifiers = try Self.table(.messageIdentifiers, in: header)
        rules = try Self.table(.rules, in: header)
        outcomes = try Self.table(.outcomes, in: header)
        conditions = try Self.table(.conditions, in: header)
        stringLists = try Self.table(.stringLists, in: header)
        numberLists = try Self.table(.numberLists, in: header)
        factDeclarations = try Self.table(.factDeclarations, in: header, limit: DataFileLimits.factCount)
        products = try Self.table(.products, in: header)
        segments = try Self.table(.segments, in: header, limit: DataFileLimits.segmentCount)
        splits = try Self.table(.splits, in: header)
        ruleSteps = try Self.table(.ruleSteps, in: header)
        arms = try Self.table(.arms, in: header)
        holdout = try Self.table(.holdout, in: header, limit: 1)
        caps = try Self.table(.caps, in: header, limit: 1)
        productRules = try Self.table(.productRules, in: header)
        ruleLists = try Self.table(.ruleLists, in: header)
        tests = try Self.table(.tests, in: header)
        testFacts = try Self.table(.testFacts, in: header)
    }

    private static func table<Record: FileRecord>(
        _ kind: RulesSection, in header: DataFileHeader, limit: Int = DataFileLimits.entryCount
    ) throws(DataFileError) -> RecordTable<Record> {
        try header.table(kind, limit: limit)
    }
}
