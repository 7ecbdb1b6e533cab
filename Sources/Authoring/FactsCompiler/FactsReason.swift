public import Vocabulary

/// What is wrong with a table of facts or with its schema. The code of a finding is `facts.` followed by the raw value.
public enum FactsReason: String, FindingReason, CaseIterable {
    /// The schema is not a JSON object with `facts`, or its app or environment is wrong.
    case badSchema = "bad-schema"
    /// The schema gives a fact a type that does not exist.
    case unknownType = "unknown-type"
    /// A fact has a name that rules cannot declare.
    case badName = "bad-name"
    /// More facts than a row can have.
    case tooManyFacts = "too-many-facts"
    /// The table has no header row.
    case noHeader = "no-header"
    /// The table lacks a column that the schema or the key needs.
    case missingColumn = "missing-column"
    /// Two columns, or two members of a row, have the same name.
    case repeatedColumn = "repeated-column"
    /// A row with more or fewer fields than the header.
    case wrongFieldCount = "wrong-field-count"
    /// A quotation mark inside an unquoted field, or a character after the mark that closes a field.
    case badQuote = "bad-quote"
    /// A quotation mark that is never closed.
    case unterminatedQuote = "unterminated-quote"
    /// A carriage return that does not end a line.
    case strayReturn = "stray-return"
    /// A row longer than the limit. The reading ends there.
    case rowTooLong = "row-too-long"
    /// A row that is not a JSON object.
    case badJSON = "bad-json"
    /// A value of another JSON type than the fact's type needs.
    case wrongType = "wrong-type"
    /// A row without originalTransactionId.
    case missingKey = "missing-key"
    /// An originalTransactionId that is not a canonical decimal number.
    case badKey = "bad-key"
    /// An originalTransactionId that occurs in two rows.
    case repeatedKey = "repeated-key"
    /// Not a whole number of 64 bits.
    case badInteger = "bad-integer"
    /// Neither `true` nor `false`.
    case badBoolean = "bad-boolean"
    /// Not a date in RFC 3339, UTC.
    case badDate = "bad-date"
    /// A text, or the whole table, that is not UTF-8.
    case badUTF8 = "bad-utf8"
    /// A text with the character U+0000, which the NDJSON form of a table cannot hold.
    case containsNUL = "contains-nul"
    /// A text longer than the limit.
    case tooLong = "too-long"
    /// A text that the enumeration does not list.
    case unknownValue = "unknown-value"
    /// All texts together are longer than a file can hold.
    case tooMuchText = "too-much-text"
    /// More rows are bad than may be left out.
    case tooManyBadRows = "too-many-bad-rows"
    /// A table without rows.
    case empty = "empty"
    /// There are more findings than the list shows.
    case moreFindings = "more-findings"
}

extension Finding {
    /// Creates a finding for a table of facts, with the code `facts.` and the reason.
    init(_ reason: FactsReason, _ message: String, hint: String? = nil, line: Int? = nil, column: Int? = nil)
    {
        self.init(code: "facts.\(reason.rawValue)", message, hint: hint, line: line, column: column)
    }
}
