public import NotificationStore

extension SubscriberPayloads {
    /// Takes the payloads of a subscription from its rows.
    ///
    /// - Parameters:
    ///   - rows: the rows of the subscription.
    ///   - previous: the rows of the subscriptions from which it moved to Advanced Commerce.
    ///   - covered: the ranges for which every notification is in the store, the earliest first.
    public init(_ rows: SubscriberRows, previous: [SubscriberRows] = [], covered: [TimeRange] = []) {
        self.init()
        for rows in [rows] + previous { add(rows) }
        self.covered = covered
    }

    private mutating func add(_ rows: SubscriberRows) {
        transactions.reserveCapacity(transactions.count + rows.transactions.count)
        renewals.reserveCapacity(renewals.count + rows.renewals.count)
        notifications.reserveCapacity(notifications.count + rows.notifications.count)
        announced.reserveCapacity(announced.count + rows.transactions.count)
        renewalOfNotification.reserveCapacity(renewalOfNotification.count + rows.notifications.count)
        syncedAt[rows.originalTransactionID] = rows.synchronizedAt
        for row in rows.transactions {
            guard let signedAt = row.values.columns.signedAt else { continue }
            let evidence = Evidence(.transaction, PayloadName(digest: row.digest), signedAt: signedAt)
            transactions.append(HistoryPayload(evidence, row.values, unfit: row.unfit))
            if row.source != StoreSource.api.rawValue { announced.insert(evidence.name) }
        }
        for row in rows.renewals {
            guard let signedAt = row.values.columns.signedAt else { continue }
            let evidence = Evidence(.renewal, PayloadName(digest: row.digest), signedAt: signedAt)
            renewals.append(HistoryPayload(evidence, row.values, unfit: row.unfit))
        }
        for row in rows.notifications {
            guard let signedAt = row.values.columns.signedAt else { continue }
            let evidence = Evidence(.notification, PayloadName(row.uuid), signedAt: signedAt)
            notifications.append(HistoryPayload(evidence, row.values, unfit: row.unfit))
            if let digest = row.renewalDigest {
                renewalOfNotification[evidence.name] = PayloadName(digest: digest)
            }
        }
    }
}
