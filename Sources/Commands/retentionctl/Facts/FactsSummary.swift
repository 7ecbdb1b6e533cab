internal import DataFiles
internal import FactsCompiler
internal import JSON
internal import System
internal import Vocabulary

/// What came of a table, for people and for JSON.
struct FactsSummary {
    let path: String
    let skippedCount: Int
    let skippedPath: String?
    let ignored: [String]
    let alwaysMissing: [String]

    func show(json: Bool) throws(FactsCompilerError) {
        let file: FactsFile
        do throws(ToolFailure) {
            file = try CompiledFacts.open(path, check: .structure)
        } catch {
            throw .output(SystemCallError(call: "open", number: 5))
        }
        guard !json else {
            Console.print(
                bytes: JSONNode.object(
                    CompiledFacts.json(of: file, path: path) + [
                        ("skippedRows", .integer(Int64(skippedCount))),
                        ("ignoredColumns", .array(ignored.map { .string($0) })),
                        ("alwaysMissing", .array(alwaysMissing.map { .string($0) })),
                    ]
                ).serialized(pretty: true) + [UInt8(ascii: "\n")]
            )
            return
        }
        Console.report(warnings, json: false)
        CompiledFacts.show(file, path: path)
    }

    private var warnings: [Diagnostic] {
        var warnings: [Diagnostic] = []
        func warn(_ code: String, _ message: String) {
            warnings.append(Diagnostic(severity: .warning, code: code, message: message, file: path))
        }
        if skippedCount > 0 {
            let rows = skippedCount == 1 ? "1 bad row was" : "\(skippedCount) bad rows were"
            warn("facts.skipped-rows", "\(rows) left out, see \(skippedPath ?? "-")")
        }
        if !ignored.isEmpty {
            warn("facts.ignored-columns", "not in the schema: \(ignored.joined(separator: ", "))")
        }
        if !alwaysMissing.isEmpty {
            warn("facts.always-missing", "no row has a value of \(alwaysMissing.joined(separator: ", "))")
        }
        return warnings
    }
}
