public import DataFiles
internal import System

/// Writes rules files. Equal model and stamp give equal bytes.
public enum RulesFileWriter {
    /// The bytes of the file.
    ///
    /// The model is the compiler's, which has checked it. What the format cannot express (a message that is not
    /// there, a group without children) gives a file that ``RulesFile`` refuses to open.
    public static func write(_ model: RulesModel, stamp: DataFileStamp) -> [UInt8] {
        var sections = RulesSectionsWriter(model)
        sections.write()
        var table: [DataFileSection] = []
        var contents: [UInt8] = []
        var end = DataFileHeader.byteCount + RulesSection.allCases.count * SectionRecord.byteCount
        for kind in RulesSection.allCases {
            let bytes = sections.buffers[kind] ?? []
            let entry = DataFileSection(
                kind: kind.rawValue,
                offset: end,
                byteCount: bytes.count,
                checksum: bytes.span.withRawBytes { CRC32C.checksum($0) }
            )
            table.append(entry)
            contents += bytes
            contents += [UInt8](repeating: 0, count: entry.paddedEnd - entry.offset - bytes.count)
            end = entry.paddedEnd
        }
        let beginning = DataFileHeader.beginning(
            kind: .rules,
            appAppleId: model.appAppleId,
            environment: model.environment,
            stamp: stamp,
            sections: table
        )
        return DataFileHeader.sealed(beginning + contents)
    }

    /// The same file under another stamp: the rollback in an incident. Sections that this program does not know are
    /// kept as they are.
    ///
    /// - Throws: what opening the old file in full throws.
    public static func restamp(_ bytes: [UInt8], stamp: DataFileStamp) throws(DataFileError) -> [UInt8] {
        _ = try RulesFile(bytes: bytes, check: .full)
        return DataFileHeader.restamped(bytes, stamp)
    }
}
