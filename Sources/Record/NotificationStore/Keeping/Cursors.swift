internal import SQL

/// The place up to which a program has come.
package struct StoreCursor: Sendable, Hashable {
    /// The last number that is done.
    package var position: Int64
    /// Anything else that the program needs to go on.
    package var detail: String?

    /// The beginning of the names of cursors whose position is the number of a notification that was passed on.
    package static let forwardPrefix = "forward:"

    package init(position: Int64, detail: String? = nil) {
        self.position = position
        self.detail = detail
    }
}

extension NotificationStore {
    package func cursor(named name: String) throws(NotificationStoreError) -> StoreCursor? {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                "SELECT position, detail FROM cursors WHERE name = ?", [.text(name)])
            guard let row = rows.first else { return nil }
            return StoreCursor(position: try row.integer(0), detail: try row.optionalText(1))
        }
    }

    package func cursorNames() throws(NotificationStoreError) -> [String] {
        try perform { connection throws(SQLError) in
            var names: [String] = []
            for row in try connection.query("SELECT name FROM cursors ORDER BY name") {
                names.append(try row.text(0))
            }
            return names
        }
    }

    /// Moves a cursor, and makes it when there is none. The change is durable when this function returns.
    package func setCursor(_ cursor: StoreCursor, named name: String) throws(NotificationStoreError) {
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

    /// Removes a cursor. It is not an error when there is none.
    package func removeCursor(named name: String) throws(NotificationStoreError) {
        try change(.shared) { connection throws(SQLError) in
            try connection.run("DELETE FROM cursors WHERE name = ?", [.text(name)])
        }
    }

    /// The most bytes of a cursor's detail. Apple's tokens for paging are shorter.
    private static let cursorDetailByteCount = 16 << 10
}
