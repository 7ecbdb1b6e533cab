import NotificationStore
import SubscriberHistory

extension SubscriberPayloads {
    /// The same life at another time: every date is so many milliseconds later.
    func moved(by distance: Int64) -> Self {
        func moved(_ evidence: Evidence) -> Evidence {
            Evidence(evidence.kind, evidence.name, signedAt: evidence.signedAt + distance)
        }
        func move(_ date: inout Int64?) { date = date.map { $0 + distance } }
        var result = self
        result.transactions = transactions.map { payload in
            var columns = payload.columns
            move(&columns.signedAt)
            move(&columns.purchasedAt)
            move(&columns.originallyPurchasedAt)
            move(&columns.expiresAt)
            move(&columns.revokedAt)
            return HistoryPayload(moved(payload.evidence), columns, unfit: payload.unfit)
        }
        result.renewals = renewals.map { payload in
            var columns = payload.columns
            move(&columns.signedAt)
            move(&columns.gracePeriodExpiresAt)
            move(&columns.subscribedAt)
            move(&columns.renewsAt)
            return HistoryPayload(moved(payload.evidence), columns, unfit: payload.unfit)
        }
        result.notifications = notifications.map { payload in
            var columns = payload.columns
            move(&columns.signedAt)
            return HistoryPayload(moved(payload.evidence), columns, unfit: payload.unfit)
        }
        result.syncedAt = syncedAt.mapValues { $0 + distance }
        return result
    }
}

extension HistoryValue {
    /// The same value, and a date so many milliseconds later.
    func moved(by distance: Int64) -> Self {
        if case .date(let time) = self { .date(time + distance) } else { self }
    }
}
