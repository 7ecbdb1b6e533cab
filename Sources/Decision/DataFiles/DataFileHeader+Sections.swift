internal import System

extension DataFileHeader {
    /// Returns the place of the section of this kind.
    ///
    /// - Throws: `data-file.missing-section`.
    func section(_ kind: FactsSection) throws(DataFileError) -> DataFileSection {
        guard let section = sections.first(where: { $0.kind == kind.rawValue }) else {
            throw DataFileError(.missingSection, section: kind.name, offset: Self.byteCount)
        }
        return section
    }

    /// Returns a section as a table of at most `limit` entries.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func table<Record: FileRecord>(_ kind: FactsSection, limit: Int) throws(DataFileError) -> RecordTable<
        Record
    > {
        let section = try section(kind)
        guard section.byteCount % Record.byteCount == 0, section.byteCount / Record.byteCount <= limit else {
            throw section.badLength(kind)
        }
        return RecordTable(offset: section.offset, count: section.byteCount / Record.byteCount)
    }

    /// Returns the only entry of a section that must have exactly one, and the offset of that entry in the file.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func entry<Record: FileRecord>(_ kind: FactsSection, in bytes: RawSpan) throws(DataFileError) -> (
        record: Record, offset: Int
    ) {
        let section = try section(kind)
        guard section.byteCount == Record.byteCount,
            let record = Record(reading: bytes, at: section.offset)
        else { throw section.badLength(kind) }
        return (record, section.offset)
    }

    /// Returns the strings of the file.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`.
    func strings(limit: Int) throws(DataFileError) -> StringTable {
        let pool = try section(FactsSection.strings)
        let index: RecordTable<ReferenceRecord> = try table(FactsSection.stringIndex, limit: limit)
        return StringTable(index: index, poolOffset: pool.offset, poolByteCount: pool.byteCount)
    }
}

extension DataFileSection {
    /// Returns the error for a length that is impossible for this section.
    func badLength(_ kind: FactsSection) -> DataFileError {
        DataFileError(.badSectionLength, section: kind.name, offset: offset)
    }
}
