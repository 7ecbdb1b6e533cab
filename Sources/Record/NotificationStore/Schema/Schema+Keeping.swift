internal import SQL

extension StoreSchema {
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
