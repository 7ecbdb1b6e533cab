internal import SQL

/// A notification that a receiver refused so often that the next one was sent.
public struct SetAsideNotification: Sendable, Hashable {
    /// The name of the receiver (``ForwardReceiver/name``).
    public let receiver: String
    /// The number of the notification.
    public let id: Int64
    public let identity: StoredNotification.Identity
    /// `notificationType`; nil when the payload has none that fits.
    public let type: String?
    /// The status of the last answer.
    public let status: Int64
    /// The time of the last answer, milliseconds since 1970.
    public let time: Int64
}

extension NotificationStore {
    /// Notes that a receiver refuses a notification. A notification that was deleted meanwhile is not noted.
    public func setAside(_ id: Int64, for receiver: ForwardReceiver, status: Int)
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

    /// Returns a page of what a receiver refuses, in the order of storing, behind the notification with a number.
    public func setAside(
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

    /// Returns how many notifications a receiver refuses.
    public func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64 {
        try perform { connection throws(SQLError) in
            try connection.query("SELECT COUNT(*) FROM set_aside WHERE receiver = ?", [.text(receiver.name)])
                .first?.integer(0) ?? 0
        }
    }

    /// Forgets that a receiver refuses a notification; without a number, everything that this receiver refuses.
    public func removeSetAside(_ id: Int64? = nil, receiver: String) throws(NotificationStoreError) {
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
