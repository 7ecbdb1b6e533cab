internal import Facts
package import System

package enum FactsReason: String, FindingReason, CaseIterable {
    /// The schema is not a JSON object with `facts`, or its app, its environment or a fact in it is wrong.
    case badSchema = "bad-schema"
    /// The table has no header row, or lacks a column that the schema or the key needs.
    case badHeader = "bad-header"
    case repeatedColumn = "repeated-column"
    case wrongFieldCount = "wrong-field-count"
    /// A quotation mark inside an unquoted field, or a character after the mark that closes a field.
    case badQuote = "bad-quote"
    case unterminatedQuote = "unterminated-quote"
    case strayReturn = "stray-return"
    case rowTooLong = "row-too-long"
    case badJSON = "bad-json"
    /// No originalTransactionId, or one that is not a canonical decimal number.
    case badKey = "bad-key"
    case repeatedKey = "repeated-key"
    case badValue = "bad-value"
    case tooMuchText = "too-much-text"
    case tooManyBadRows = "too-many-bad-rows"
    case empty = "empty"
    case moreFindings = "more-findings"
}

extension Finding {
    init(_ reason: FactsReason, _ message: String, hint: String? = nil, line: Int? = nil, column: Int? = nil)
    {
        self.init(code: "facts.\(reason.rawValue)", message, hint: hint, line: line, column: column)
    }
}

package enum FactsCompilerError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the table's lines, one of each kind; at least one.
    case findings([Finding])
    case input(SystemCallError)
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

package enum FactsCompilerLimits {
    package static let schemaByteCount = 16 << 20
    /// The deepest nesting of a schema, and of the JSON members that the reader skips.
    package static let depth = 64
    package static let rowByteCount = 1 << 20
    package static let stringByteCount = DataFileLimits.factStringByteCount
    package static let nameByteCount = 128
    package static let findingCount = 100
    package static let blockByteCount = 1 << 20
    package static let ignoredCount = 100
}
