import NotificationStore
import SubscriberHistory

extension SubscriberPayloads {
    /// The same life at another time: every date is so many milliseconds later.
    func moved(by distance: Int64) -> Self {
        func move(_ date: inout Int64?) { date = date.map { $0 + distance } }
        var result = self
        result.transactions = transactions.map {
            $0.moved(by: distance) { columns in
                move(&columns.signedAt)
                move(&columns.purchasedAt)
                move(&columns.originallyPurchasedAt)
                move(&columns.expiresAt)
                move(&columns.revokedAt)
            }
        }
        result.renewals = renewals.map {
            $0.moved(by: distance) { columns in
                move(&columns.signedAt)
                move(&columns.gracePeriodExpiresAt)
                move(&columns.subscribedAt)
                move(&columns.renewsAt)
            }
        }
        result.notifications = notifications.map {
            $0.moved(by: distance) { columns in move(&columns.signedAt) }
        }
        result.syncedAt = syncedAt.mapValues { $0 + distance }
        return result
    }
}

extension HistoryPayload {
    /// The same payload, signed so many milliseconds later, with its columns moved by `move`.
    fileprivate func moved(by distance: Int64, _ move: (inout Columns) -> Void) -> Self {
        var columns = columns
        move(&columns)
        let evidence = Evidence(evidence.kind, evidence.name, signedAt: evidence.signedAt + distance)
        return Self(evidence, columns, unfit: unfit)
    }
}

extension HistoryValue {
    /// The same value, and a date so many milliseconds later.
    func moved(by distance: Int64) -> Self {
        if case .date(let time) = self { .date(time + distance) } else { self }
    }
}
