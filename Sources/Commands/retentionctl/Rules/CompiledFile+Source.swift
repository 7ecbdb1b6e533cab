internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import RulesCompiler
internal import Vocabulary

extension CompiledFile {
    /// Opens a compiled file, or what a source compiles to; the first bytes say which it is.
    static func openOrCompile(_ path: String) throws(ToolFailure) -> RulesFile {
        try openWithEnumerations(path).rules
    }

    /// The same, and the values of the facts that a source declares as enumerations, by their names. A compiled file
    /// has no such lists: to it they are strings.
    static func openWithEnumerations(
        _ path: String
    ) throws(ToolFailure) -> (rules: RulesFile, enumerations: [String: [String]]) {
        let bytes = try Input.read(path)
        if DataFileHeader.hasMagic(bytes) { return (try open(bytes, path: path), [:]) }
        // What is never written needs no stamp of its own.
        let stamp = DataFileStamp(
            generation: 1,
            builtAtMilliseconds: 0,
            writerVersion: StampOptions.writerVersion
        )
        let compiled = try RulesCompilerError.mapped(
            to: { ToolFailure($0, file: path) },
            try RulesCompiler.compile(bytes, stamp: stamp)
        )
        return (try open(compiled, path: path), enumerations(in: bytes))
    }

    private static func enumerations(in source: [UInt8]) -> [String: [String]] {
        // Without "facts" there is no schema.
        guard let schema = try? FactsSchema(parsing: source) else { return [:] }
        var enumerations: [String: [String]] = [:]
        for fact in schema.facts {
            if case .enumeration(let values) = fact.type { enumerations[fact.name] = values }
        }
        return enumerations
    }
}
