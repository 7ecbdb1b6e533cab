@testable internal import Authoring
internal import Facts
internal import Rules
internal import System

/// The body of the facts source fuzzer: reads any bytes as a table in each format, with blocks of the usual size and
/// with short blocks. An accepted table must give a file that passes the full check. The size of the blocks must not
/// change the result. Nothing may trap or hang.
package func fuzzFactsSource(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    for format in FactsFormat.allCases {
        let whole = compiled(source, format, blockByteCount: FactsCompilerLimits.blockByteCount)
        let pieces = compiled(source, format, blockByteCount: 7)
        precondition(whole.words == pieces.words && whole.bytes == pieces.bytes, "blocks change the result")
    }
}

private let schema = FactsSchema(facts: [
    .init(name: "n", type: .integer), .init(name: "b", type: .boolean), .init(name: "d", type: .date),
    .init(name: "s", type: .string), .init(name: "e", type: .enumeration(["x", "y y", "\""])),
])

private func compiled(_ source: [UInt8], _ format: FactsFormat, blockByteCount: Int) -> (
    bytes: [UInt8], words: [String]
) {
    var skipped: [String] = []
    let making = FactsFileIdentity(
        appAppleId: 1, environment: .sandbox,
        stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: "fuzz"))
    do throws(FactsCompilerError) {
        let table = try FactsCompiler.read(
            FactsInput(bytes: source, blockByteCount: blockByteCount),
            format: format,
            schema: schema,
            badRows: .skip(maxPercent: 100) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
                skipped.append(row.finding.text + String(decoding: row.bytes, as: UTF8.self))
            }
        )
        var output = MemoryOutput()
        try FactsCompiler.write(table.takeRows(), making, to: &output)
        guard (try? FactsFile(bytes: output.bytes, check: .full)) != nil else {
            preconditionFailure("the compiled file does not open")
        }
        return (output.bytes, skipped)
    } catch {
        return ([], skipped + [error.description])
    }
}
