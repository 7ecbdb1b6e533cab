internal import SQL

/// A range of time, from the first millisecond to the first millisecond behind it.
package struct TimeRange: Sendable, Hashable, Codable {
    /// The first millisecond, since 1970.
    package let from: Int64
    package let to: Int64

    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    package var isEmpty: Bool { from >= to }
}

/// A range for which every notification of Apple's history came into the store. Those that ``NotificationStore/prune(receivedBefore:keepingTypes:upTo:)``
/// deleted later are gone; the range stays, because no fact needs them and nobody should fetch them again.
package struct CoveredRange: Sendable, Hashable {
    package let range: TimeRange
    /// The time at which the last part of the range was complete, milliseconds since 1970.
    package let finishedAt: Int64
}

extension NotificationStore {
    /// Notes that every notification of a range is in the store. Ranges that overlap or touch become one.
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

    /// Returns the covered ranges of an app in an environment, the earliest first. They neither overlap nor touch.
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
