/// The list of values behind `IN` in a condition. A statement with the list has one text for every number of values, so that its
/// prepared form is used again: values beyond the length of the list are for another run of the statement, and in place of
/// missing ones stands NULL, which equals nothing.
///
///     let list = SQLList(count: 64)
///     for values in list.pages(of: ids) { rows += try connection.query("SELECT … WHERE id IN " + list.text, values) }
public struct SQLList: Sendable {
    public let count: Int
    /// The list in a text: as many question marks, in parentheses.
    public let text: SQLText

    /// Makes a list of this length, which must be positive.
    public init(count: Int) {
        precondition(count > 0, "a list with places")
        self.count = count
        text = "(" + .list([SQLText](repeating: "?", count: count)) + ")"
    }

    /// Returns values in pages as long as the list; no page when there are no values.
    public func pages(of values: some Collection<SQLValue>) -> [[SQLValue]] {
        var pages: [[SQLValue]] = []
        var rest = values[...]
        while !rest.isEmpty {
            let page = rest.prefix(count)
            pages.append(page + [SQLValue](repeating: .null, count: count - page.count))
            rest = rest.dropFirst(count)
        }
        return pages
    }
}
