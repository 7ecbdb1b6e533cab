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
    /// The dates of lists.
    public let dateLists: RecordTable<DateRecord>

    let settingsOffset: Int

    /// Finds the sections. Kinds that this program does not know are skipped.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    init(header: DataFileHeader, bytes: RawSpan) throws(DataFileError) {
        let pool = try Self.find(.strings, in: header)
        strings = StringTable(
            index: try Self.table(.stringIndex, in: header),
            poolOffset: pool.offset,
            poolByteCount: pool.byteCount
        )
        let settings: RecordTable<SettingsRecord> = try Self.table(.settings, in: header)
        guard settings.count == 1, let only = settings.record(at: 0, in: bytes) else {
            throw DataFileError(.badSectionLength, section: "settings", offset: settings.offset)
        }
        self.settings = only
        settingsOffset = settings.offset
        metadata = try Self.table(.metadata, in: header)
        localeFallbacks = try Self.table(.localeFallbacks, in: header)
        messages = try Self.table(.messages, in: header)
        messageIdentifiers = try Self.table(.messageIdentifiers, in: header)
        rules = try Self.table(.rules, in: header)
        outcomes = try Self.table(.outcomes, in: header)
        conditions = try Self.table(.conditions, in: header)
        stringLists = try Self.table(.stringLists, in: header)
        dateLists = try Self.table(.dateLists, in: header)
    }

    private static func find(
        _ kind: RulesSection,
        in header: DataFileHeader
    ) throws(DataFileError) -> DataFileSection {
        guard let section = header.sections.first(where: { $0.kind == kind.rawValue }) else {
            throw DataFileError(.missingSection, section: kind.name, offset: DataFileHeader.byteCount)
        }
        return section
    }

    private static func table<Record: FileRecord>(
        _ kind: RulesSection,
        in header: DataFileHeader
    ) throws(DataFileError) -> RecordTable<Record> {
        let section = try find(kind, in: header)
        guard section.byteCount % Record.byteCount == 0,
            section.byteCount / Record.byteCount <= DataFileLimits.entryCount
        else {
            throw DataFileError(.badSectionLength, section: kind.name, offset: section.offset)
        }
        return RecordTable(offset: section.offset, count: section.byteCount / Record.byteCount)
    }
}
