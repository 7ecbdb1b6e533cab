public import Vocabulary

/// What is wrong with a table of facts or with its schema. The raw value is the end of the code, behind `facts.`.
public enum FactsReason: String, FindingReason, CaseIterable {
    /// The schema is no JSON object with `facts`.
    case badSchema = "bad-schema"
    /// A type that the language does not have.
    case unknownType = "unknown-type"
    /// A fact whose name cannot be a column.
    case badName = "bad-name"
    /// More facts than a row can have.
    case tooManyFacts = "too-many-facts"
    /// The table has no header row.
    case noHeader = "no-header"
    /// The table lacks a column that the schema or the key needs.
    case missingColumn = "missing-column"
    /// Two columns, or two members of a row, of one name.
    case repeatedColumn = "repeated-column"
    /// A row with more or fewer fields than the header.
    case wrongFieldCount = "wrong-field-count"
    /// A quotation mark inside a field, or something after the one that ends it.
    case badQuote = "bad-quote"
    /// A quotation mark that is never closed.
    case unterminatedQuote = "unterminated-quote"
    /// A carriage return that does not end a line.
    case strayReturn = "stray-return"
    /// A row longer than the limit.
    case rowTooLong = "row-too-long"
    /// A row that is no JSON object.
    case badJSON = "bad-json"
    /// A value of another JSON type.
    case wrongType = "wrong-type"
    /// A row without originalTransactionId.
    case missingKey = "missing-key"
    /// An originalTransactionId that is no canonical number.
    case badKey = "bad-key"
    /// An originalTransactionId that stands in two rows.
    case repeatedKey = "repeated-key"
    /// Not a whole number of 64 bits.
    case badInteger = "bad-integer"
    /// Neither `true` nor `false`.
    case badBoolean = "bad-boolean"
    /// Not a date in RFC 3339, UTC.
    case badDate = "bad-date"
    /// A text that is not UTF-8.
    case badUTF8 = "bad-utf8"
    /// A text with the character U+0000, which JSON has no text for.
    case containsNUL = "contains-nul"
    /// A text longer than the limit.
    case tooLong = "too-long"
    /// A value that is not in the list of its enumeration.
    case unknownValue = "unknown-value"
    /// All texts together are longer than a file can hold.
    case tooMuchText = "too-much-text"
    /// A table without rows.
    case empty = "empty"
    /// There are more findings than are listed.
    case moreFindings = "more-findings"
}

extension Finding {
    /// A finding in a table of facts.
    init(_ reason: FactsReason, _ message: String, hint: String? = nil, line: Int? = nil, column: Int? = nil)
    {
        self.init(code: "facts.\(reason.rawValue)", message, hint: hint, line: line, column: column)
    }
}
