internal import SQL

/// The place up to which a program has come.
public struct StoreCursor: Sendable, Hashable {
    /// The last number that is done.
    public var position: Int64
    /// Anything else that the program needs to go on.
    public var detail: String?

    /// The beginning of the names of cursors whose position is the number of a notification that was passed on.
    public static let forwardPrefix = "forward:"

    /// The beginning of the names of cursors that say up to which rows the states of subscribers go.
    public static let statesPrefix = "facts:"

    /// Makes the next refresh derive the states of all subscribers.
    static func forgetStates(on connection: any SQLConnection) throws(SQLError) {
        try connection.run("DELETE FROM cursors WHERE name LIKE ?", [.text(statesPrefix + "%")])
    }

    /// Describes a place.
    public init(position: Int64, detail: String? = nil) {
        self.position = position
        self.detail = detail
    }
}

extension NotificationStore {
    /// Returns the cursor of some work; nil when the work has not begun.
    public func cursor(named name: String) throws(NotificationStoreError) -> StoreCursor? {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                "SELECT position, detail FROM cursors WHERE name = ?",
                [.text(name)]
            )
            guard let row = rows.first else { return nil }
            return StoreCursor(position: try row.integer(0), detail: try row.optionalText(1))
        }
    }

    /// Returns the names of all cursors, in alphabetical order.
    public func cursorNames() throws(NotificationStoreError) -> [String] {
        try perform { connection throws(SQLError) in
            var names: [String] = []
            for row in try connection.query("SELECT name FROM cursors ORDER BY name") {
                names.append(try row.text(0))
            }
            return names
        }
    }

    /// Moves a cursor, and makes it when there is none. The change is durable when this function returns.
    ///
    /// - Throws: `store.bad-argument` when the name or the detail does not fit.
    public func setCursor(_ cursor: StoreCursor, named name: String) throws(NotificationStoreError) {
        let hasRoom = (cursor.detail?.utf8.count ?? 0) <= Self.cursorDetailByteCount
        guard !name.isEmpty, ColumnText.fits(name), hasRoom, !(cursor.detail ?? "").utf8.contains(0) else {
            throw .badArgument
        }
        let time = timing.now()
        try change(.shared) { connection throws(SQLError) in
            try connection.run(
                """
                INSERT INTO cursors (name, position, detail, changed_at) VALUES (?, ?, ?, ?) ON CONFLICT (name)
                DO UPDATE SET position = excluded.position, detail = excluded.detail, changed_at = excluded.changed_at
                """,
                [.text(name), .integer(cursor.position), SQLValue(cursor.detail), .integer(time)]
            )
        }
    }

    /// Moves a cursor, unless it has left its place meanwhile.
    ///
    /// - Returns: false when the cursor is not at `place`, or when there is none any more. It is left as it is then.
    public func moveCursor(
        named name: String,
        from place: StoreCursor,
        to next: StoreCursor
    ) throws(NotificationStoreError) -> Bool {
        let time = timing.now()
        return try change(.shared) { connection throws(SQLError) in
            try connection.run(
                """
                UPDATE cursors SET position = ?, detail = ?, changed_at = ?
                WHERE name = ? AND position = ? AND COALESCE(detail, '') = ?
                """,
                [
                    .integer(next.position), SQLValue(next.detail), .integer(time), .text(name),
                    .integer(place.position), .text(place.detail ?? ""),
                ]
            ) > 0
        }
    }

    /// Removes a cursor. It is not an error when there is none.
    public func removeCursor(named name: String) throws(NotificationStoreError) {
        try change(.shared) { connection throws(SQLError) in
            try connection.run("DELETE FROM cursors WHERE name = ?", [.text(name)])
        }
    }

    /// The most bytes of a cursor's detail. Apple's tokens for paging are shorter.
    private static let cursorDetailByteCount = 16 << 10
}
