internal import System

/// What is wrong with a table of facts or with its schema. The code of a finding is `facts.` followed by the raw value.
package enum FactsReason: String, FindingReason, CaseIterable {
    /// The schema is not a JSON object with `facts`, or its app, its environment or a fact in it is wrong.
    case badSchema = "bad-schema"
    /// The table has no header row, or lacks a column that the schema or the key needs.
    case badHeader = "bad-header"
    /// Two columns, or two members of a row, have the same name.
    case repeatedColumn = "repeated-column"
    case wrongFieldCount = "wrong-field-count"
    /// A quotation mark inside an unquoted field, or a character after the mark that closes a field.
    case badQuote = "bad-quote"
    case unterminatedQuote = "unterminated-quote"
    /// A carriage return that does not end a line.
    case strayReturn = "stray-return"
    /// A row longer than the limit. The reading ends there.
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
    /// Creates a finding for a table of facts, with the code `facts.` and the reason.
    init(_ reason: FactsReason, _ message: String, hint: String? = nil, line: Int? = nil, column: Int? = nil)
    {
        self.init(code: "facts.\(reason.rawValue)", message, hint: hint, line: line, column: column)
    }
}
