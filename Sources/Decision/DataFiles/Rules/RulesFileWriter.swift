public import DataFiles
internal import System

/// Writes rules files. The same model and stamp always give the same bytes.
///
///     let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "example 1.0")
///     let bytes = RulesFileWriter.write(model, stamp: stamp)
public enum RulesFileWriter {
    /// Returns the bytes of the rules file for a model.
    ///
    /// The rules compiler has checked the model; this function does not check it again. A model that the format cannot express
    /// (a reference to a missing message, a group without children) gives a file that ``RulesFile`` refuses to open.
    public static func write(_ model: RulesModel, stamp: DataFileStamp) -> [UInt8] {
        var sections = RulesSectionsWriter(model)
        sections.write()
        var table: [DataFileSection] = []
        var contents: [UInt8] = []
        var end = DataFileHeader.byteCount + RulesSection.allCases.count * SectionRecord.byteCount
        for kind in RulesSection.allCases {
            let bytes = sections.buffers[kind] ?? []
            let entry = DataFileSection(
                kind: kind.rawValue, offset: end, byteCount: bytes.count,
                checksum: CRC32.checksum(bytes.span, .castagnoli))
            table.append(entry)
            contents += bytes
            contents += [UInt8](repeating: 0, count: entry.paddedEnd - entry.offset - bytes.count)
            end = entry.paddedEnd
        }
        let beginning = DataFileHeader.beginning(
            kind: .rules, appAppleId: model.appAppleId, environment: model.environment, stamp: stamp,
            sections: table)
        return DataFileHeader.sealed(beginning + contents)
    }

    /// Returns the same file with another stamp. Operators use this to roll back in an incident. Sections of unknown
    /// kinds are copied unchanged.
    ///
    /// - Throws: the errors of ``RulesFile`` when it opens the old file with the full check.
    public static func restamp(_ bytes: [UInt8], stamp: DataFileStamp) throws(DataFileError) -> [UInt8] {
        _ = try RulesFile(bytes: bytes, check: .full)
        return DataFileHeader.restamped(bytes, stamp)
    }
}
