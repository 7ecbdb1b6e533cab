internal import Cryptography
internal import SQL
internal import System

/// Which notifications a receiver gets. An empty list lets all through.
package struct ForwardFilter: Sendable, Hashable, CustomStringConvertible {
    package var environments: [String]
    package var apps: [String]
    package var types: [String]

    package init(environments: [String] = [], apps: [String] = [], types: [String] = []) {
        self.environments = environments
        self.apps = apps
        self.types = types
    }

    package var description: String {
        [("environments", environments), ("apps", apps), ("types", types)].filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }

    var condition: (text: SQLText, values: [SQLValue]) {
        let columns: [(SQLText, [String])] = [
            ("n.environment", environments), ("n.app", apps), ("n.type", types),
        ]
        var (text, values): (SQLText, [SQLValue]) = ("", [])
        for (column, list) in columns where !list.isEmpty {
            text += " AND " + column + " IN " + SQLList(count: list.count).text
            values += list.map { .text($0) }
        }
        return (text, values)
    }
}

package struct ForwardReceiver: Sendable, Hashable {
    /// The URL to which the bodies are posted. It may have a secret in its path or in its query.
    package let url: String
    package let host: String
    package let filter: ForwardFilter

    /// `https`, or `http` to this machine, because payloads name subscribers. The error has no text of the URL.
    package init(url: String, filter: ForwardFilter = ForwardFilter()) throws(NotificationStoreError) {
        guard let place = ReceiverURL(url), place.isSecure || place.isLocal else { throw .badReceiver }
        self.url = url
        host = place.authority
        self.filter = filter
    }

    /// A name without the secret of the URL: the host, and a digest that tells two receivers on one host apart.
    package var name: String { "\(host)#\(SHA256.hash(url.utf8Span.span).hexadecimal.prefix(16))" }

    package var cursorName: String { StoreCursor.forwardPrefix + name }
}

extension NotificationStore {
    /// Nil when the receiver has everything. A receiver to which nothing was passed on lacks every notification.
    package func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64? {
        let position = try cursor(named: receiver.cursorName)?.position ?? 0
        return try perform { connection throws(SQLError) in
            try connection.query(
                "SELECT received_at FROM notifications WHERE id > ? ORDER BY id LIMIT 1", [.integer(position)]
            ).first?.integer(0)
        }
    }
}

package struct SetAsideNotification: Sendable, Hashable {
    package let receiver: String
    package let id: Int64
    package let identity: StoredNotification.Identity
    package let type: String?
    package let status: Int64
    package let time: Int64
}

extension NotificationStore {
    /// Does nothing about a notification that was deleted meanwhile.
    package func setAside(_ id: Int64, for receiver: ForwardReceiver, status: Int)
        throws(NotificationStoreError)
    {
        let time = timing.now()
        try change(.shared) { connection throws(SQLError) in
            try connection.run(
                """
                INSERT INTO set_aside (receiver, notification_id, status, set_aside_at)
                SELECT ?, id, ?, ? FROM notifications WHERE id = ?
                ON CONFLICT (receiver, notification_id)
                DO UPDATE SET status = excluded.status, set_aside_at = excluded.set_aside_at
                """,
                [.text(receiver.name), .integer(Int64(status)), .integer(time), .integer(id)]
            )
        }
    }

    package func setAside(
        for receiver: ForwardReceiver, after: Int64 = 0, count: Int = StorePage.greatestCount
    ) throws(NotificationStoreError) -> [SetAsideNotification] {
        try perform { connection throws(SQLError) in
            try connection.query(
                """
                SELECT n.id, n.app, n.environment, n.uuid, n.type, s.status, s.set_aside_at
                FROM set_aside AS s JOIN notifications AS n ON n.id = s.notification_id
                WHERE s.receiver = ? AND s.notification_id > ? ORDER BY s.notification_id LIMIT ?
                """,
                [.text(receiver.name), .integer(after), .integer(Int64(count))]
            ).map { row throws(SQLError) in
                SetAsideNotification(
                    receiver: receiver.name, id: try row.integer(0),
                    identity: StoredNotification.Identity(
                        app: try row.text(1), environment: try row.text(2), uuid: try row.text(3)),
                    type: try row.optionalText(4), status: try row.integer(5), time: try row.integer(6))
            }
        }
    }

    package func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64 {
        try perform { connection throws(SQLError) in
            try connection.query("SELECT COUNT(*) FROM set_aside WHERE receiver = ?", [.text(receiver.name)])
                .first?.integer(0) ?? 0
        }
    }

    /// Forgets that a receiver refuses a notification; without a number, everything that this receiver refuses.
    package func removeSetAside(_ id: Int64? = nil, receiver: String) throws(NotificationStoreError) {
        try change(.shared) { connection throws(SQLError) in
            if let id {
                try connection.run(
                    "DELETE FROM set_aside WHERE receiver = ? AND notification_id = ?",
                    [.text(receiver), .integer(id)])
            } else {
                try connection.run("DELETE FROM set_aside WHERE receiver = ?", [.text(receiver)])
            }
        }
    }
}
