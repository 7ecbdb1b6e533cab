internal import System

/// Where everything in a rules file is. Made once, when the file is opened.
public struct RulesTables: Sendable {
    /// All strings.
    public let strings: StringTable
    /// What holds for the file as a whole.
    public let settings: SettingsRecord
    /// What the author says about the file.
    public let metadata: RecordTable<MetadatumRecord>
    /// Which locale to try after which, in the order of the locales' numbers.
    public let localeFallbacks: RecordTable<FallbackRecord>
    /// The messages.
    public let messages: RecordTable<MessageRecord>
    /// The identifiers of all messages.
    public let messageIdentifiers: RecordTable<IdentifierRecord>
    /// The rules.
    public let rules: RecordTable<RuleRecord>
    /// What they serve.
    public let outcomes: RecordTable<OutcomeRecord>
    /// The nodes of their conditions.
    public let conditions: RecordTable<ConditionRecord>
    /// The strings of lists.
    public let stringLists: RecordTable<ReferenceRecord>
    /// The numbers of lists.
    public let numberLists: RecordTable<NumberRecord>
    /// The facts that the facts file must have.
    public let factDeclarations: RecordTable<FactDeclarationRecord>
    /// The products that the author declares.
    public let products: RecordTable<ProductRecord>
    /// Conditions under a name.
    public let segments: RecordTable<SegmentRecord>
    /// Shares of the subscribers.
    public let splits: RecordTable<SplitRecord>
    /// What rules ask for beside their conditions.
    public let ruleSteps: RecordTable<RuleStepsRecord>
    /// The arms of all rules.
    public let arms: RecordTable<ArmRecord>
    /// Who is kept out of all rules.
    public let holdout: RecordTable<HoldoutRecord>
    /// How often a subscriber gets an offer.
    public let caps: RecordTable<CapsRecord>
    /// The rules that may match for each product.
    public let productRules: RecordTable<ProductRulesRecord>
    /// Their numbers.
    public let ruleLists: RecordTable<ReferenceRecord>
    /// What the author expects of the rules.
    public let tests: RecordTable<TestRecord>
    /// The facts of the tests' subscribers.
    public let testFacts: RecordTable<TestFactRecord>

    /// What the server looks at first of each rule.
    public let ruleHeads: RecordTable<RuleHeadRecord>
    /// The conditions of rules as lists of terms, but for the first ones.
    public let terms: RecordTable<TermRecord>

    let settingsOffset: Int

    /// Finds the sections. Kinds that this program does not know are skipped.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    init(header: DataFileHeader, bytes: RawSpan) throws(DataFileError) {
        strings = try header.strings(
            limit: DataFileLimits.entryCount,
            buckets: Self.table(.stringBuckets, in: header, limit: 4 * DataFileLimits.entryCount)
        )
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
        ruleHeads = try Self.table(.ruleHeads, in: header)
        terms = try Self.table(.terms, in: header)
    }

    private static func table<Record: FileRecord>(
        _ kind: RulesSection,
        in header: DataFileHeader,
        limit: Int = DataFileLimits.entryCount
    ) throws(DataFileError) -> RecordTable<Record> {
        try header.table(kind, limit: limit)
    }
}
