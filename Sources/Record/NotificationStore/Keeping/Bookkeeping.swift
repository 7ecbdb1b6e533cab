internal import SQL

package struct TimeRange: Sendable, Hashable, Codable {
    package let from: Int64
    package let to: Int64

    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    package var isEmpty: Bool { from >= to }
}

/// Every notification of the range came into the store. The range stays when they are deleted: nobody should fetch them
/// again.
package struct CoveredRange: Sendable, Hashable {
    package let range: TimeRange
    package let finishedAt: Int64
}

extension NotificationStore {
    /// Remembers that every notification of a range is in the store. Ranges that overlap or touch become one.
    package func cover(app: String, environment: String, _ range: TimeRange, finishedAt: Int64? = nil)
        throws(NotificationStoreError)
    {
        guard !range.isEmpty, ColumnText.fits(app), ColumnText.fits(environment) else { throw .badArgument }
        let owner: [SQLValue] = [.text(app), .text(environment)]
        let finishedAt = finishedAt ?? timing.now()
        try change(.exclusive) { connection throws(SQLError) in
            let touching = owner + [.integer(range.to), .integer(range.from)]
            var (from, to, finished) = (range.from, range.to, finishedAt)
            for row in try connection.query(
                """
                SELECT from_at, to_at, finished_at FROM coverage
                WHERE app = ? AND environment = ? AND from_at <= ? AND to_at >= ?
                """,
                touching
            ) {
                from = min(from, try row.integer(0))
                to = max(to, try row.integer(1))
                finished = max(finished, try row.integer(2))
            }
            try connection.run(
                "DELETE FROM coverage WHERE app = ? AND environment = ? AND from_at <= ? AND to_at >= ?",
                touching)
            try connection.run(
                "INSERT INTO coverage (app, environment, from_at, to_at, finished_at) VALUES (?, ?, ?, ?, ?)",
                owner + [.integer(from), .integer(to), .integer(finished)])
        }
    }

    package func coverage(app: String, environment: String) throws(NotificationStoreError) -> [CoveredRange] {
        try perform { connection throws(SQLError) in
            var ranges: [CoveredRange] = []
            for row in try connection.query(
                """
                SELECT from_at, to_at, finished_at FROM coverage WHERE app = ? AND environment = ? ORDER BY from_at
                """,
                [.text(app), .text(environment)]
            ) {
                let range = TimeRange(from: try row.integer(0), to: try row.integer(1))
                ranges.append(CoveredRange(range: range, finishedAt: try row.integer(2)))
            }
            return ranges
        }
    }

    package func coveredApps() throws(NotificationStoreError) -> [(app: String, environment: String)] {
        try perform { connection throws(SQLError) in
            var apps: [(app: String, environment: String)] = []
            let text: SQLText = "SELECT DISTINCT app, environment FROM coverage ORDER BY app, environment"
            for row in try connection.query(text) { apps.append((try row.text(0), try row.text(1))) }
            return apps
        }
    }

    package func gaps(app: String, environment: String, in range: TimeRange) throws(NotificationStoreError)
        -> [TimeRange]
    {
        var gaps: [TimeRange] = []
        var place = range.from
        for covered in try coverage(app: app, environment: environment).map(\.range) where covered.to > place
        {
            gaps.append(TimeRange(from: place, to: min(covered.from, range.to)))
            place = covered.to
        }
        gaps.append(TimeRange(from: place, to: range.to))
        return gaps.filter { !$0.isEmpty }
    }
}

package struct StoreCursor: Sendable, Hashable {
    package var position: Int64
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

    package func removeCursor(named name: String) throws(NotificationStoreError) {
        try change(.shared) { connection throws(SQLError) in
            try connection.run("DELETE FROM cursors WHERE name = ?", [.text(name)])
        }
    }

    private static let cursorDetailByteCount = 16 << 10
}

/// A subscription whose whole history Apple's server gave.
package struct Synchronization: Sendable, Hashable {
    package let originalTransactionID: String
    package let app: String
    package let environment: String
    /// The time before which the history is whole, milliseconds since 1970.
    package let at: Int64
}

extension NotificationStore {
    package func synchronizations(after: Int64 = 0, count: Int = StorePage.greatestCount)
        throws(NotificationStoreError) -> StoreList<Synchronization>
    {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                """
                SELECT id, original_transaction_id, app, environment, synchronized_at FROM synchronizations
                WHERE id > ? ORDER BY id LIMIT ?
                """,
                [.integer(after), .integer(Int64(count))]
            )
            var found: [Synchronization] = []
            for row in rows {
                found.append(
                    Synchronization(
                        originalTransactionID: try row.text(1), app: try row.text(2),
                        environment: try row.text(3), at: try row.integer(4)))
            }
            return StoreList(rows: found, next: rows.count == count ? try rows.last?.integer(0) : nil)
        }
    }

    /// A later time takes the place of an earlier one; an earlier time, which an import has, changes nothing.
    package func rememberSynchronization(
        of ids: Set<String>, app: String, environment: String, at time: Int64
    )
        throws(NotificationStoreError)
    {
        guard ColumnText.fits(app), ColumnText.fits(environment), ids.allSatisfy(ColumnText.fits) else {
            throw .badArgument
        }
        guard !ids.isEmpty else { return }
        try change(.shared) { connection throws(SQLError) in
            let sorted = ids.sorted()
            let erased = try Tombstones.places(of: sorted, on: connection) { [.originalTransaction($0)] }
            let kept = sorted.indices.filter { !erased.contains($0) }.map { sorted[$0] }
            var owners: [[SQLValue]] = []
            for id in kept {
                let owner: [SQLValue] = [.text(app), .text(environment), .text(id)]
                let known = try connection.query(Self.synchronization, owner).first
                if try known?.integer(0) ?? .min < time { owners.append(owner) }
            }
            // A new number shows the change to whoever follows the table by its numbers.
            try connection.run(Self.removeSynchronization, forEach: owners)
            try connection.run(Self.addSynchronization, forEach: owners.map { $0 + [.integer(time)] })
        }
    }

    private static let synchronization: SQLText = """
        SELECT synchronized_at FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?
        """
    static let removeSynchronization: SQLText =
        "DELETE FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?"
    private static let addSynchronization: SQLText = """
        INSERT INTO synchronizations (app, environment, original_transaction_id, synchronized_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id)
        DO UPDATE SET synchronized_at = excluded.synchronized_at
        """
}
