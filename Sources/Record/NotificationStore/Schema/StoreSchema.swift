internal import SQL

enum StoreSchema {
    static let version1: [SQLText] =
        [
            headers, notifications, transactions, renewals, appTransactions, coverage, cursors,
            synchronizations, tombstoneKeys, tombstones,
        ]
        + [migrationsTable] + notificationIndexes + partIndexes + keepingIndexes

    /// The statements that lead from version 1 to version 2.
    ///
    /// Facts were once kept in the store between builds. Each build derives them from the payloads, so nothing is lost with them. No
    /// release has made that table; a store that a trial has made may have it.
    static let version2: [SQLText] = [
        "DROP TABLE IF EXISTS subscriber_states", "DELETE FROM cursors WHERE name LIKE 'facts:%'", setAside,
        setAsideIndex,
    ]

    static let tableNames = [
        "headers", "notifications", "transactions", "renewals", "app_transactions", "coverage", "cursors",
        "synchronizations", "tombstone_keys", "tombstones", "store_migrations",
    ]

    /// Returns a statement of SQLite in the words of the other system. On PostgreSQL, a statement that makes a table is
    /// followed by statements that keep its comments.
    static func statements(_ text: SQLText, _ dialect: SQLDialect) -> [SQLText] {
        guard dialect == .postgreSQL else { return [text] }
        let plain =
            text
            .replacing(
                "INTEGER PRIMARY KEY AUTOINCREMENT", with: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            )
            .replacing(" INTEGER", with: " BIGINT")
            .replacing(" BLOB", with: " BYTEA")
            .replacing(") STRICT;", with: ");")
        guard let table = documentation(of: text) else { return [plain] }
        let comments = table.columns.map { SQLText.comment($0.meaning, onTable: table.name, column: $0.name) }
        return [plain, .comment(table.meaning, onTable: table.name)] + comments
    }

    /// A table with the meaning of its columns, for the comments of PostgreSQL.
    struct Table {
        let name: String
        let meaning: String
        let columns: [(name: String, meaning: String)]
    }

    static var tables: [Table] { (version1 + version2).compactMap { documentation(of: $0) } }

    /// Returns the documentation of a table; nil for a statement that makes no table.
    private static func documentation(of statement: SQLText) -> Table? {
        var comment: [String] = []
        var name: String?
        var meaning = ""
        var columns: [(name: String, meaning: String)] = []
        for line in statement.description.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "--" {
                comment.append(words.dropFirst().joined(separator: " "))
                continue
            }
            defer { comment = [] }
            if words.starts(with: ["CREATE", "TABLE"]) {
                name = String(words[2])
                meaning = comment.joined(separator: " ")
            } else if name != nil, !comment.isEmpty, words.count > 1 {
                columns.append((String(words[0]), comment.joined(separator: " ")))
            }
        }
        return name.map { Table(name: $0, meaning: meaning, columns: columns) }
    }
}
