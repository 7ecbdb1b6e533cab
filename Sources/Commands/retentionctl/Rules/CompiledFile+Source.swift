internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import RulesCompiler
internal import Vocabulary
internal import RulesReading

extension CompiledFile {
    /// Opens a compiled file, or compiles a source and opens the result. The first bytes tell which of the two the file
    /// is. A source may serve the messages of a catalogue; nil for none.
    static func openOrCompile(_ path: String, catalogue: CatalogueMessages?) throws(ToolFailure) -> RulesFile
    {
        try openWithEnumerations(path, catalogue: catalogue).rules
    }

    /// Opens or compiles a file as ``openOrCompile(_:catalogue:)`` does. Also returns the values of the facts that a source
    /// declares as enumerations, by the facts' names. A compiled file has no such lists: its enumerations are strings.
    static func openWithEnumerations(_ path: String, catalogue: CatalogueMessages?) throws(ToolFailure) -> (
        rules: RulesFile, enumerations: [String: [String]]
    ) {
        let bytes = try Input.read(path)
        if DataFileHeader.hasMagic(bytes) { return (try open(bytes, path: path), [:]) }
        // This file is never written, so it needs no real stamp.
        let stamp = DataFileStamp(
            generation: 1, builtAtMilliseconds: 0, writerVersion: StampOptions.writerVersion)
        let compiled = try RulesSourceError.mapped(
            to: { ToolFailure($0, file: path) },
            try RulesCompiler.compile(
                bytes, stamp: stamp, options: RulesCompilerOptions(catalogue: catalogue))
        )
        return (try open(compiled, path: path), enumerations(in: bytes))
    }

    private static func enumerations(in source: [UInt8]) -> [String: [String]] {
        // A source without "facts" has no schema.
        guard let schema = try? FactsSchema(parsing: source) else { return [:] }
        var enumerations: [String: [String]] = [:]
        for fact in schema.facts {
            if case .enumeration(let values) = fact.type { enumerations[fact.name] = values }
        }
        return enumerations
    }
}
