internal import SQL

/// The tables of version 1, as SQLite has them. Their comments are part of the database: `.schema` of the program sqlite3
/// shows them, and on PostgreSQL they become comments of the columns.
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

    static let notifications: SQLText = """
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
            -- Kind of event. Source: notificationType.
            type TEXT,
            -- Kind of event in more detail. Source: subtype.
            subtype TEXT,
            -- Version of the notification's form. Source: version.
            version TEXT,
            -- Time at which Apple signed it. Source: signedDate.
            signed_at INTEGER,
            -- Name of the member with the content: data, summary, externalPurchaseToken, appData or unclaimInfo.
            object TEXT,
            -- Apple's number of the app. Source: appAppleId.
            app_apple_id INTEGER,
            -- Version of the app that the subscriber has. Source: data.bundleVersion.
            bundle_version TEXT,
            -- State of the subscription: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked. Source: data.status.
            status INTEGER,
            -- Why the subscriber asks for a refund. Source: data.consumptionRequestReason.
            consumption_request_reason TEXT,
            -- Identifier of the subscription. Source: originalTransactionId of the nested transaction or renewal info.
            original_transaction_id TEXT,
            -- Identifier of the transaction. Source: transactionId of the nested transaction.
            transaction_id TEXT,
            -- Product. Source: productId of the nested transaction or renewal info, or summary.productId.
            product_id TEXT,
            -- Identifier of the customer's download of the app. Source: appTransactionId of a nested part.
            app_transaction_id TEXT,
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
}
