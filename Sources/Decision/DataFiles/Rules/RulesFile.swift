public import System
internal import Vocabulary

/// How much of a data file is checked when it is opened.
public enum DataFileCheck: Sendable, Hashable {
    /// Everything: digest, checksums, every string, reference, value and condition. The process that loads a file uses
    /// this.
    case full
    /// The header, the section table, the length of every section, and the columns of a facts file. A worker uses this:
    /// it maps a file that the loader has checked in full. Lookups stay inside the file in any case, whatever the file holds.
    case structure
}

/// An opened rules file: the rules of one app in one environment. It is immutable and shared by reference.
///
///     let file = try RulesFile(bytes: bytes, check: .full)
///     let ids = (0..<file.ruleCount).compactMap { file.ruleID(at: $0) }
///     let model = RulesModel(reading: file)  // the whole contents as typed values
public final class RulesFile: Sendable {
    /// The header of the file: what the file is and whom it serves.
    public let header: DataFileHeader
    /// The places of the file's sections, for the evaluator.
    public let tables: RulesTables
    private let storage: DataFileBytes

    /// Opens a mapping, which must be of a file that nobody changes any more.
    ///
    /// - Throws: an error for the first thing that is wrong.
    public convenience init(mapping memory: consuming MappedMemory, check: DataFileCheck)
        throws(DataFileError)
    {
        try self.init(.mapped(memory), check: check)
    }

    /// Opens bytes in memory, for tools and tests.
    ///
    /// - Throws: an error for the first thing that is wrong.
    public convenience init(bytes: [UInt8], check: DataFileCheck) throws(DataFileError) {
        try self.init(.copied(bytes), check: check)
    }

    private init(_ storage: consuming DataFileBytes, check: DataFileCheck) throws(DataFileError) {
        (header, tables) = try storage.withBytes { bytes throws(DataFileError) in
            try Self.open(bytes, check: check)
        }
        self.storage = storage
    }

    /// Lends the bytes of the whole file to `body`.
    package func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    /// The same rules with the kill switch off, for a caller that wants to know what they would decide then. This file
    /// itself if its switch is off, else a changed copy in memory.
    package var withKillSwitchOff: RulesFile {
        guard tables.settings.flags & SettingsFlags.killSwitch != 0 else { return self }
        let copy = withBytes { $0.bytes(offset: 0, byteCount: $0.byteCount) }
        guard var bytes = copy else { return self }
        var settings = tables.settings
        settings.flags &= ~SettingsFlags.killSwitch
        bytes.replace(copying: settings, at: tables.settingsOffset)
        return (try? RulesFile(bytes: bytes, check: .structure)) ?? self
    }

    private static func open(_ bytes: RawSpan, check: DataFileCheck) throws(DataFileError) -> (
        DataFileHeader, RulesTables
    ) {
        guard bytes.byteCount <= DataFileLimits.rulesByteCount else {
            throw DataFileError(.badHeader, offset: bytes.byteCount)
        }
        let header = try DataFileHeader(opening: bytes, as: .rules, check: check)
        let tables = try RulesTables(header: header, bytes: bytes)
        if check == .full { try RulesChecker(tables: tables).check(bytes) }
        return (header, tables)
    }
}

extension RulesFile {
    /// The app's bundle identifier.
    public var bundleId: String { string(tables.settings.bundleId) ?? "" }

    /// The author's metadata about the file, in the order of the source: revision, owner, ticket.
    public var metadata: [(key: String, value: String)] {
        withBytes { bytes in
            (0..<tables.metadata.count).compactMap { index in
                guard let record = tables.metadata.record(at: index, in: bytes),
                    let key = tables.strings.string(record.key, in: bytes),
                    let value = tables.strings.string(record.value, in: bytes)
                else { return nil }
                return (key, value)
            }
        }
    }

    /// The author's name of this version, `metadata.revision`; nil when the file has none.
    public var revision: String? { metadata.first { $0.key == "revision" }?.value }

    /// The number of rules, without the default.
    public var ruleCount: Int { tables.rules.count }

    public var messageCount: Int { tables.messages.count }
}
