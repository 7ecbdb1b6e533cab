internal import NotificationStore

/// The notifications at the beginning of a store that are those of an import, in the import's order.
///
/// Another store's place of forwarding says that a receiver has everything up to a notification. Here that holds only as far
/// as no notification came from elsewhere, such as from a recorder that works during the import.
struct ImportedBeginning {
    /// The number up to which every notification is one of the import.
    private(set) var position: Int64 = 0
    private var isOver = false

    /// Goes on with the next notifications of the import, which the store has by now.
    mutating func follow(_ identities: [StoredNotification.Identity], in store: NotificationStore)
        throws(NotificationStoreError)
    {
        guard !isOver, !identities.isEmpty else { return }
        // Behind this, no notification gets a number before those that are read now.
        _ = try store.settledNotificationID()
        var rest = identities[...]
        while !rest.isEmpty {
            let page = StorePage(after: position, count: rest.count)
            let rows = try store.notifications(NotificationFilter(), page).rows
            for row in rows {
                let identity = StoredNotification.Identity(
                    app: row.app, environment: row.environment, uuid: row.uuid)
                guard rest.popFirst() == identity else {
                    isOver = true
                    return
                }
                position = row.id
            }
            guard !rows.isEmpty else {
                isOver = true
                return
            }
        }
    }
}
