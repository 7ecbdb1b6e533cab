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
        syncedAt = rows.synchronizedAt
        self.covered = covered
    }

    private mutating func add(_ rows: SubscriberRows) {
        for row in rows.transactions {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.transaction, Self.digits(row.digest), signedAt: signedAt)
            transactions.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
            if row.source != StoreSource.api.rawValue { announced.insert(evidence.name) }
        }
        for row in rows.renewals {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.renewal, Self.digits(row.digest), signedAt: signedAt)
            renewals.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
        }
        for row in rows.notifications {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.notification, row.uuid, signedAt: signedAt)
            notifications.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
            if let digest = row.renewalDigest {
                renewalOfNotification[row.uuid] = Self.digits(digest)
            }
        }
    }

    /// The hexadecimal digits of a digest.
    private static func digits(_ digest: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(digest.count * 2)
        for byte in digest { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
