internal import DataFiles
internal import DataFileWriting
internal import JSON
internal import RulesCompiler
internal import System

/// What a fuzzer feeds: compiles any bytes, and takes them for an inventory. What compiles must open in full and come
/// back from its own dump as the same bytes, and lint must take it; nothing may trap or hang.
public func fuzzRulesSource(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "fuzz")
    _ = try? Inventory(reading: source)
    guard let compiled = try? RulesCompiler.compile(source, stamp: stamp) else { return }
    guard let file = try? RulesFile(bytes: compiled, check: .full) else {
        preconditionFailure("what was compiled does not open")
    }
    let dump = RulesModel(reading: file).source.serialized(pretty: true)
    let again = try? RulesCompiler.compile(dump, stamp: stamp)
    precondition((try? Lint.findings(in: source, now: 0)) != nil, "lint does not compile what compiles")
    precondition(again == compiled, "the dump compiles to another file")
}
