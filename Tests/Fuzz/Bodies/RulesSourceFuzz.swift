internal import DataFiles
internal import DataFileWriting
internal import JSON
internal import RulesCompiler
internal import System

/// The body of the rules source fuzzer: compiles any bytes, and reads them as an inventory. A compiled file must pass
/// the full check, and its dump must compile to the same bytes. Lint must accept a source that compiles. Nothing may
/// trap or hang.
public func fuzzRulesSource(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "fuzz")
    _ = try? Inventory(reading: source)
    guard let compiled = try? RulesCompiler.compile(source, stamp: stamp) else { return }
    guard let file = try? RulesFile(bytes: compiled, check: .full) else {
        preconditionFailure("the compiled file does not open")
    }
    let dump = RulesModel(reading: file).source.serialized(pretty: true)
    let again = try? RulesCompiler.compile(dump, stamp: stamp)
    precondition((try? Lint.findings(in: source, now: 0)) != nil, "lint refuses a source that compiles")
    precondition(again == compiled, "the dump compiles to another file")
}
