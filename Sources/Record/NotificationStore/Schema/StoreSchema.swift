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

    /// A statement that makes a table is followed on PostgreSQL by statements that keep its comments.
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
            .replacing(") STRICT, WITHOUT ROWID;", with: ");")
        guard let table = documentation(of: text) else { return [plain] }
        let comments = table.columns.map { SQLText.comment($0.meaning, onTable: table.name, column: $0.name) }
        let isNew = !table.meaning.isEmpty
        return [plain] + (isNew ? [.comment(table.meaning, onTable: table.name)] : []) + comments
    }

    struct Table {
        let name: String
        let meaning: String
        var columns: [(name: String, meaning: String)]
    }

    static var tables: [Table] {
        StoreMigration.all.flatMap(\.statements).compactMap(documentation).reduce(into: []) { tables, found in
            if let place = tables.firstIndex(where: { $0.name == found.name }) {
                tables[place].columns += found.columns
            } else {
                tables.append(found)
            }
        }
    }

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
            } else if words.starts(with: ["ALTER", "TABLE"]), !comment.isEmpty {
                name = String(words[2])
                columns.append((String(words[5]), comment.joined(separator: " ")))
            } else if name != nil, !comment.isEmpty, words.count > 1 {
                columns.append((String(words[0]), comment.joined(separator: " ")))
            }
        }
        return name.map { Table(name: $0, meaning: meaning, columns: columns) }
    }
}

/// Their comments are in the database: `.schema` of sqlite3 shows them, and on PostgreSQL they become comments of the
/// columns.
extension StoreSchema {
    static let headers: SQLText = """
        -- The headers of all JWS (RFC 7515): algorithm and certificates. Nearly all rows of the other tables share a few
        -- headers. Rows of this table are never changed or deleted.
        CREATE TABLE headers (
            -- Number of the header, to which the other tables refer.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- SHA-256 of the column header.
            digest BLOB NOT NULL UNIQUE,
            -- The decoded header, JSON with the members alg and x5c. Source: the first part of a JWS.
            header BLOB NOT NULL
        ) STRICT;
        """

    static let notifications =
        """
        -- The notifications of the App Store (version 2), one row each. Times are milliseconds since 1970-01-01 UTC. A column
        -- is NULL when the payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE notifications (
            -- Number in the order of storing. A number is never used again.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- Bundle identifier of the app. Source: bundleId of the member named in object.
            app TEXT NOT NULL,
            -- Production or Sandbox. Source: environment of the member named in object.
            environment TEXT NOT NULL,
            -- Identifier of the notification, the same in all attempts of Apple. Source: notificationUUID, or its
            -- digest when it does not fit.
            uuid TEXT NOT NULL,
            -- How it came: push (Apple sent it), history (Apple's notification history), import (a file).
            source TEXT NOT NULL,
            -- Time at which this program got it first. Source: this machine's clock.
            received_at INTEGER NOT NULL,
        """
        + NotificationColumns.table.definitions + "\n"
            + """
                -- The row of transactions with the nested transaction, by its digest.
                transaction_digest BLOB,
                -- Where the text of the nested transaction stood in the decoded payload, in bytes. NULL: the payload has it.
                transaction_offset INTEGER,
                -- Code of the check that the nested transaction failed. It is then in payload, and in no other table.
                transaction_fault TEXT,
                -- The row of renewals with the nested renewal info, by its digest.
                renewal_digest BLOB,
                -- Where the text of the nested renewal info stood in the decoded payload, in bytes. NULL: the payload has it.
                renewal_offset INTEGER,
                -- Code of the check that the nested renewal info failed. It is then in payload, and in no other table.
                renewal_fault TEXT,
                -- The row of app_transactions with the nested app transaction, by its digest.
                app_transaction_digest BLOB,
                -- Where the text of the nested app transaction stood in the decoded payload, in bytes. NULL: the payload has it.
                app_transaction_offset INTEGER,
                -- Code of the check that the nested app transaction failed. It is then in payload, and in no other table.
                app_transaction_fault TEXT,
                -- Names of columns whose values did not fit, with a space between; NULL when all values fit.
                unfit TEXT,
                -- The row of headers with the header of the outer JWS.
                header_id INTEGER,
                -- Signature of the outer JWS, decoded.
                signature BLOB,
                -- Payload of the outer JWS, decoded: JSON. The texts of nested JWS with an offset are cut out of it.
                payload BLOB,
                -- The whole JWS as it was received, when it cannot be rebuilt from the parts. Otherwise NULL.
                raw BLOB
            ) STRICT;
            """

    static let notificationIndexes: [SQLText] = [
        "CREATE UNIQUE INDEX notifications_identity ON notifications (app, environment, uuid);",
        "CREATE INDEX notifications_signed ON notifications (app, environment, signed_at);",
        """
        CREATE INDEX notifications_subscriber ON notifications (original_transaction_id)
            WHERE original_transaction_id IS NOT NULL;
        """,
        """
        CREATE INDEX notifications_customer ON notifications (app_transaction_id)
            WHERE app_transaction_id IS NOT NULL;
        """,
        "CREATE INDEX notifications_unassigned ON notifications (id) WHERE original_transaction_id IS NULL;",
    ]

    static let transactions = part(
        """
        -- Signed transactions, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when the
        -- payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE transactions (
        """,
        TransactionColumns.table)

    static let renewals = part(
        """
        -- Signed renewal infos, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when the
        -- payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE renewals (
        """,
        RenewalColumns.table, app: " The payload has none, so it is that of the notification or the call.")

    static let appTransactions = part(
        """
        -- Signed app transactions, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when
        -- the payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE app_transactions (
        """,
        AppTransactionColumns.table)

    private static func part(_ head: SQLText, _ columns: ColumnTable, app: SQLText = "") -> SQLText {
        head + """

                -- Number in the order of storing. A number is never used again.
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                -- SHA-256 of the JWS as it was received.
                digest BLOB NOT NULL,
                -- Bundle identifier of the app.
            """
            + app
                + """

                    app TEXT NOT NULL,
                    -- Production or Sandbox.
                    environment TEXT NOT NULL,
                    -- How it came first: push, history, import, or api (a call of the App Store Server API).
                    source TEXT NOT NULL,
                    -- Time at which this program got it first. Source: this machine's clock.
                    received_at INTEGER NOT NULL,
                """
            + columns.definitions + "\n"
                + """
                    -- Names of columns whose values did not fit, with a space between; NULL when all values fit.
                    unfit TEXT,
                    -- The row of headers with the header.
                    header_id INTEGER,
                    -- Signature, decoded.
                    signature BLOB,
                    -- Payload, decoded: JSON.
                    payload BLOB,
                    -- The whole JWS as it was received, when it cannot be rebuilt from the parts. Otherwise NULL.
                    raw BLOB
                ) STRICT;
                """
    }

    static let partIndexes: [SQLText] = [
        "CREATE UNIQUE INDEX transactions_digest ON transactions (digest);",
        "CREATE INDEX transactions_subscriber ON transactions (original_transaction_id);",
        """
        CREATE INDEX transactions_previous ON transactions (previous_original_transaction_id)
            WHERE previous_original_transaction_id IS NOT NULL;
        """,
        "CREATE INDEX transactions_customer ON transactions (app_transaction_id);",
        "CREATE UNIQUE INDEX renewals_digest ON renewals (digest);",
        "CREATE INDEX renewals_subscriber ON renewals (original_transaction_id);",
        "CREATE INDEX renewals_customer ON renewals (app_transaction_id);",
        "CREATE UNIQUE INDEX app_transactions_digest ON app_transactions (digest);",
        "CREATE INDEX app_transactions_customer ON app_transactions (app_transaction_id);",
    ]

    static let coverage: SQLText = """
        -- Ranges of time for which every notification of Apple's history came into the store. Reports may rely on them, but
        -- for the types that `store prune` deletes. An erased subscriber is left out.
        CREATE TABLE coverage (
            -- Bundle identifier of the app.
            app TEXT NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- First millisecond of the range, since 1970-01-01 UTC.
            from_at INTEGER NOT NULL,
            -- First millisecond behind the range.
            to_at INTEGER NOT NULL,
            -- Time at which the last part of the range was complete, milliseconds since 1970-01-01 UTC.
            finished_at INTEGER NOT NULL,
            PRIMARY KEY (app, environment, from_at)
        ) STRICT;
        """

    static let cursors: SQLText = """
        -- Places up to which a program has come that goes through the store or through Apple's history.
        CREATE TABLE cursors (
            -- Name of the work, such as forward: and a destination.
            name TEXT NOT NULL PRIMARY KEY,
            -- The last number that is done. For forward: an id of notifications.
            position INTEGER NOT NULL,
            -- Anything else that the program needs to go on.
            detail TEXT,
            -- Time of the last change, milliseconds since 1970-01-01 UTC.
            changed_at INTEGER NOT NULL
        ) STRICT;
        """

    static let synchronizations: SQLText = """
        -- Subscriptions whose whole transaction history Apple's server gave.
        CREATE TABLE synchronizations (
            -- Number in the order of the synchronizations. A later synchronization of the same subscription has a new number.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- Bundle identifier of the app.
            app TEXT NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- Identifier of the subscription.
            original_transaction_id TEXT NOT NULL,
            -- Time before which the history is whole, milliseconds since 1970-01-01 UTC.
            synchronized_at INTEGER NOT NULL
        ) STRICT;
        """

    static let tombstoneKeys: SQLText = """
        -- Keys of the hashes in tombstones. A key is made with the first tombstone, or comes with an import.
        CREATE TABLE tombstone_keys (
            -- Number of the key.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- The key, 32 random bytes.
            secret BLOB NOT NULL UNIQUE
        ) STRICT;
        """

    static let tombstones: SQLText = """
        -- Erased subscribers. What belongs to them is dropped when it comes again.
        CREATE TABLE tombstones (
            -- HMAC-SHA-256 of the identifier with one of the keys. The identifier itself is not in the store any more.
            hash BLOB NOT NULL PRIMARY KEY,
            -- Time of the erasure, milliseconds since 1970-01-01 UTC.
            erased_at INTEGER NOT NULL
        ) STRICT;
        """

    static let setAside: SQLText = """
        -- Notifications that a receiver of notifications.forward refuses, and that are sent to it again only by hand.
        CREATE TABLE set_aside (
            -- Name of the receiver, as in the name of its cursor behind forward:.
            receiver TEXT NOT NULL,
            -- Number of the notification. With the notification, the row goes.
            notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            -- Status of the last answer.
            status INTEGER NOT NULL,
            -- Time of the last answer, milliseconds since 1970-01-01 UTC.
            set_aside_at INTEGER NOT NULL,
            PRIMARY KEY (receiver, notification_id)
        ) STRICT;
        """

    static let setAsideIndex: SQLText = "CREATE INDEX set_aside_notification ON set_aside (notification_id);"

    static let migrationsTable: SQLText = """
        -- Versions that these tables have had. The greatest version is the present one.
        CREATE TABLE store_migrations (
            -- Version of the tables.
            version INTEGER NOT NULL PRIMARY KEY,
            -- Oldest version whose programs may write the tables as they are now.
            compatible_from INTEGER NOT NULL,
            -- Time of the change, milliseconds since 1970-01-01 UTC.
            applied_at INTEGER NOT NULL,
            -- Release of the program that made the change.
            program TEXT NOT NULL
        ) STRICT;
        """

    static let keepingIndexes: [SQLText] = [
        """
        CREATE UNIQUE INDEX synchronizations_subscriber
            ON synchronizations (app, environment, original_transaction_id);
        """
    ]
}
