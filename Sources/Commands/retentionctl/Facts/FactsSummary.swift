internal import DataFiles
internal import FactsCompiler
internal import JSON
internal import Vocabulary

/// The summary of a compiled table, as text and as JSON.
struct FactsSummary {
    let path: String
    let skipped: FactsCompiler.Skipped
    /// The warnings about ``skipped``.
    let skippedWarnings: [Finding]
    let ignored: [String]
    let alwaysMissing: [String]

    func show(json: Bool) throws(ToolFailure) {
        let file = try CompiledFacts.open(path, check: .structure)
        guard !json else {
            let members =
                CompiledFacts.json(of: file, path: path) + [
                    ("skippedRows", .integer(Int64(skipped.count))),
                    ("skippedLines", .integer(Int64(skipped.lineCount))),
                    ("ignoredColumns", .array(ignored.map { .string($0) })),
                    ("alwaysMissing", .array(alwaysMissing.map { .string($0) })),
                ]
            return Console.print(pretty: .object(members))
        }
        Console.report(warnings, json: false)
        CompiledFacts.show(file, path: path)
    }

    private var warnings: [Finding] {
        var warnings = skippedWarnings
        func warn(_ code: String, _ message: String) {
            warnings.append(Finding(code: code, severity: .warning, message, file: path))
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
