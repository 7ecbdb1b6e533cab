internal import Facts
package import System

/// Why a table of facts was not compiled.
package enum FactsCompilerError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the table's lines, one of each kind; at least one.
    case findings([Finding])
    case input(SystemCallError)
    /// The file, or the list of skipped rows, cannot be written.
    case output(SystemCallError)

    package var code: String { findings.first?.code ?? "" }

    package var findings: [Finding] {
        switch self {
        case .findings(let findings): findings
        case .input(let error), .output(let error): error.findings
        }
    }

    package var description: String { findings.map(\.text).joined(separator: "\n") }
}

extension FactsCompilerError {
    init(_ error: FactsBuildError) {
        switch error {
        case .output(let error): self = .output(error)
        case .tooMuchText(let limit):
            self = .findings([Finding(.tooMuchText, "more than \(limit) bytes of text")])
        case .repeatedKeys(let first, let count):
            let rows = count > 1 ? "; \(count) rows in all" : ""
            self = .findings([
                Finding(
                    .repeatedKey,
                    "\(FactsSchema.keyName) \(first.key) stands on line \(first.line) already\(rows)",
                    hint: "--duplicates first or last takes one row of each", line: first.otherLine, column: 1
                )
            ])
        }
    }
}

/// The limits of a table of facts and of its schema.
package enum FactsCompilerLimits {
    /// A rules source may serve as the schema.
    package static let schemaByteCount = 16 << 20
    /// The deepest nesting of a schema, and of the JSON members that the reader skips.
    package static let depth = 64
    /// Without the line's end.
    package static let rowByteCount = 1 << 20
    package static let stringByteCount = DataFileLimits.factStringByteCount
    /// Rules have the same limit.
    package static let nameByteCount = 128
    /// Of findings about a schema.
    package static let findingCount = 100
    package static let blockByteCount = 1 << 20
    /// Of columns that the schema does not have.
    package static let ignoredCount = 100
}
