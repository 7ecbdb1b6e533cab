internal import DataFiles
internal import Decisions
internal import System
internal import Vocabulary

/// What a load has to know of the contents of a data file when the file is no longer open: which facts rules ask for,
/// and which facts a facts file has.
enum FileContents: Sendable {
    /// Of a rules file: the facts that it reads, and the signatures that it needs.
    case rules(read: [(name: String, kind: ValueKind)], signing: SigningCapabilities)
    /// Of a facts file: its columns, their offset in the file, and the number of its rows.
    case facts(columns: [FactColumn], offset: Int, rowCount: Int)

    /// The number of rows of a facts file; nil for rules.
    var rowCount: Int? { if case .facts(_, _, let rowCount) = self { rowCount } else { nil } }

    /// Opens and checks a file whose bytes nobody changes any more. A full check also runs the tests that rules carry.
    ///
    /// - Throws: the first error in the file that `check` covers; `embedded-test-failed`.
    static func open(_ mapped: consuming MappedMemory, kind: DataFileKind, name: String, check: DataFileCheck)
        throws(LoadError) -> (header: DataFileHeader, contents: FileContents)
    {
        let refused = { (error: DataFileError) in LoadError.dataFile(name: name, error) }
        switch kind {
        case .rules:
            let file = try DataFileError.mapped(to: refused, giving: mapped) { mapped throws(DataFileError) in
                try RulesFile(mapping: mapped, check: check)
            }
            if check == .full { try runTests(of: file, name: name) }
            return (file.header, .rules(read: file.readFacts, signing: file.neededSigning))
        case .facts:
            let file = try DataFileError.mapped(to: refused, giving: mapped) { mapped throws(DataFileError) in
                try FactsFile(mapping: mapped, check: check)
            }
            let contents = FileContents.facts(
                columns: file.columns, offset: file.columnsOffset, rowCount: file.rowCount)
            return (file.header, contents)
        }
    }

    private static func runTests(of rules: RulesFile, name: String) throws(LoadError) {
        guard let failed = EmbeddedTests.run(rules).first(where: { !$0.passes }) else { return }
        let differences = failed.differences.map(\.description).joined(separator: "; ")
        throw .embeddedTestFailed(name: name, test: failed.name, differences: differences)
    }
}
