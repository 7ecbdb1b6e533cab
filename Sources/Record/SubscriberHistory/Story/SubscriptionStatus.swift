internal import NotificationStore

/// Source: Apple, status (App Store Server API).
package enum SubscriptionStatus: Int64, Sendable, Hashable, CaseIterable {
    case active = 1
    case expired = 2
    /// Apple tries to collect the price, and the subscriber has no access.
    case billingRetry = 3
    /// Apple tries to collect the price, and the subscriber still has access.
    case gracePeriod = 4
    case revoked = 5

    package var name: String {
        switch self {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billingRetry"
        case .gracePeriod: "gracePeriod"
        case .revoked: "revoked"
        }
    }
}

/// What the payloads say about the state, and until when it can be believed.
struct StatusKnowledge: Sendable, Hashable {
    /// The state that the latest payload shows; nil when no payload shows a known one.
    let shown: SubscriptionStatus?
    let reason: MissingReason
    /// The first time at which something must have happened; nil when the state lasts.
    let end: Int64?

    /// For how long Apple tries to collect a price after the end of a period.
    static let billingRetryMilliseconds: Int64 = 60 * 86_400_000

    init(_ story: Story) {
        let candidates = [story.shownByNotification, story.shownByRenewal, story.shownByTransaction]
        let latest = candidates.compactMap { $0 }.max { $0.evidence < $1.evidence }
        // A state from before the running period is over.
        guard let latest, !story.isStale(latest.evidence) else {
            (shown, reason, end) = (nil, .noStatus, nil)
            return
        }
        end = latest.status.flatMap(story.end)
        // Without a period nothing says how long the subscriber is active.
        let isOpen = end != nil || latest.status == .expired || latest.status == .revoked
        shown = isOpen ? latest.status : nil
        if latest.status != nil {
            reason = .noTransaction
        } else {
            reason = latest.isUnfit ? .unfitValue : .unknownValue
        }
    }

    func status(at now: Int64) -> SubscriptionStatus? {
        guard let shown, end.map({ now < $0 }) ?? true else { return nil }
        return shown
    }
}

extension Story {
    /// What a payload says about the state: nil for a state that this program does not know, or that did not fit its column.
    fileprivate typealias Shown = (status: SubscriptionStatus?, isUnfit: Bool, evidence: Evidence)

    fileprivate var shownByNotification: Shown? {
        let found = notifications.last { $0.columns.status != nil || $0.unfit.contains("status") }
        guard let found else { return nil }
        let status = found.columns.status.flatMap(SubscriptionStatus.init)
        return (status, found.columns.status == nil, found.evidence)
    }

    fileprivate var shownByRenewal: Shown? {
        guard let renewal = renewals.last else { return nil }
        let period = periods.last { $0.start <= renewal.signedAt }
        let status: SubscriptionStatus
        if let revokedAt = period?.revokedAt, revokedAt <= renewal.signedAt {
            // Access goes on when the subscriber has bought another period since.
            if hidesPeriod(renewal) { return nil }
            status = .revoked
        } else if renewal.columns.isInBillingRetry == true {
            let isGrace = renewal.columns.gracePeriodExpiresAt.map { renewal.signedAt < $0 } ?? false
            status = isGrace ? .gracePeriod : .billingRetry
        } else if renewal.columns.expirationIntent != nil {
            status = .expired
        } else if let period, renewal.signedAt < max(period.end, renewal.columns.renewsAt ?? period.end) {
            status = .active
        } else {
            return nil
        }
        return (status, false, renewal.evidence)
    }

    fileprivate var shownByTransaction: Shown? {
        guard let running else { return nil }
        if running.revokedAt != nil { return (.revoked, false, running.copy.evidence) }
        if running.columns.revokedAt != nil, running.lacksTransactions { return nil }
        return running.copy.signedAt < running.end ? (.active, false, running.copy.evidence) : nil
    }

    /// The first time at which a state must have become another one; nil when it lasts, or nothing says how long.
    fileprivate func end(of status: SubscriptionStatus) -> Int64? {
        switch status {
        // A customer's own subscription may run longer than the latest period, which a family shares.
        case .active: [periods.last?.end, running?.end].compactMap { $0 }.max() ?? renewal?.columns.renewsAt
        case .gracePeriod: renewal?.columns.gracePeriodExpiresAt ?? running?.end
        case .billingRetry:
            (running?.end ?? renewal?.columns.renewsAt.flatMap { Period.times.contains($0) ? $0 : nil }).map {
                $0 + StatusKnowledge.billingRetryMilliseconds
            }
        case .expired, .revoked: nil
        }
    }
}
