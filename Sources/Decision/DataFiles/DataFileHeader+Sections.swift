internal import System

/// The sections of one kind of data file: their numbers there. The case is the name for FORMAT.md and for errors.
package protocol SectionKind: RawRepresentable<UInt32>, Sendable {}

extension SectionKind {
    /// The name for FORMAT.md and for errors.
    package var name: String { "\(self)" }
}

extension DataFileHeader {
    /// Where a section is.
    ///
    /// - Throws: `data-file.missing-section`.
    func section(_ kind: some SectionKind) throws(DataFileError) -> DataFileSection {
        guard let section = sections.first(where: { $0.kind == kind.rawValue }) else {
            throw DataFileError(.missingSection, section: kind.name, offset: Self.byteCount)
        }
        return section
    }

    /// A section as a table of at most `limit` entries.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func table<Record: FileRecord>(
        _ kind: some SectionKind,
        limit: Int
    ) throws(DataFileError) -> RecordTable<Record> {
        let section = try section(kind)
        guard section.byteCount % Record.byteCount == 0, section.byteCount / Record.byteCount <= limit else {
            throw section.badLength(kind)
        }
        return RecordTable(offset: section.offset, count: section.byteCount / Record.byteCount)
    }

    /// The entry of a section that has exactly one, and where it stands.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func entry<Record: FileRecord>(
        _ kind: some SectionKind,
        in bytes: RawSpan
    ) throws(DataFileError) -> (record: Record, offset: Int) {
        let section = try section(kind)
        guard section.byteCount == Record.byteCount,
            let record = Record(reading: bytes, at: section.offset)
        else { throw section.badLength(kind) }
        return (record, section.offset)
    }

    /// The strings, which every kind of data file has under the same numbers, found by hash where it has `buckets`.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func strings(
        limit: Int,
        buckets: RecordTable<ReferenceRecord> = RecordTable(offset: 0, count: 0)
    ) throws(DataFileError) -> StringTable {
        let pool = try section(RulesSection.strings)
        let index: RecordTable<ReferenceRecord> = try table(RulesSection.stringIndex, limit: limit)
        return StringTable(
            index: index,
            poolOffset: pool.offset,
            poolByteCount: pool.byteCount,
            buckets: buckets
        )
    }
}

extension DataFileSection {
    /// A length that the section's entries cannot have.
    func badLength(_ kind: some SectionKind) -> DataFileError {
        DataFileError(.badSectionLength, section: kind.name, offset: offset)
    }
}
