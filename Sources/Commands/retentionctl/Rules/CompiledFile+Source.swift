internal import DataFiles
internal import RulesCompiler
internal import Vocabulary

extension CompiledFile {
    /// Opens a compiled file, or what a source compiles to; the first bytes say which it is.
    static func openOrCompile(_ path: String) throws(ToolFailure) -> RulesFile {
        let bytes = try Input.read(path)
        if DataFileHeader.hasMagic(bytes) { return try open(bytes, path: path) }
        // What is never written needs no stamp of its own.
        let stamp = DataFileStamp(
            generation: 1,
            builtAtMilliseconds: 0,
            writerVersion: StampOptions.writerVersion
        )
        let compiled: [UInt8]
        do throws(RulesCompilerError) {
            compiled = try RulesCompiler.compile(bytes, stamp: stamp)
        } catch {
            throw ToolFailure(error, file: path)
        }
        return try open(compiled, path: path)
    }
}
