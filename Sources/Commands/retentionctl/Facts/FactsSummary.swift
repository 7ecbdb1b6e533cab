internal import DataFiles
internal import JSON
internal import Vocabulary

/// The summary of a compiled table, as text and as JSON.
struct FactsSummary {
    let path: String
    let skippedCount: Int
    let skippedLineCount: Int
    let skippedPath: String?
    let ignored: [String]
    let alwaysMissing: [String]

    func show(json: Bool) throws(ToolFailure) {
        let file = try CompiledFacts.open(path, check: .structure)
        guard !json else {
            let members =
                CompiledFacts.json(of: file, path: path) + [
                    ("skippedRows", .integer(Int64(skippedCount))),
                    ("skippedLines", .integer(Int64(skippedLineCount))),
                    ("ignoredColumns", .array(ignored.map { .string($0) })),
                    ("alwaysMissing", .array(alwaysMissing.map { .string($0) })),
                ]
            return Console.print(pretty: .object(members))
        }
        Console.report(warnings, json: false)
        CompiledFacts.show(file, path: path)
    }

    private var warnings: [Finding] {
        var warnings: [Finding] = []
        func warn(_ code: String, _ message: String) {
            warnings.append(Finding(code: code, severity: .warning, message, file: path))
        }
        if skippedCount > 0 {
            let rows = skippedCount == 1 ? "1 bad row was" : "\(skippedCount) bad rows were"
            let lines = skippedLineCount > skippedCount ? " (\(skippedLineCount) lines)" : ""
            warn("facts.skipped-rows", "\(rows) left out\(lines), see \(skippedPath ?? "-")")
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
