extension SQLText {
    /// Returns the statement of PostgreSQL that keeps a comment of a column, or of the table when `column` is nil. Such a
    /// statement takes no values, so the comment is written as a quoted text.
    ///
    /// Stops the process when a name has other characters than small letters and `_`: names are those of the program.
    public static func comment(_ comment: String, onTable table: String, column: String? = nil) -> SQLText {
        let names = [table] + (column.map { [$0] } ?? [])
        let isPlain = names.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        }
        precondition(isPlain && !comment.utf8.contains(0), "a name of the program")
        let kind = column == nil ? "TABLE" : "COLUMN"
        let quoted = comment.replacing("'", with: "''")
        return SQLText(joining: "COMMENT ON \(kind) \(names.joined(separator: ".")) IS '\(quoted)'")
    }
}
