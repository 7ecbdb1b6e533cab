internal import NotificationStore

/// The state of a subscription, as Apple numbers it in `data.status`.
///
/// Source: Apple, status (App Store Server API).
public enum SubscriptionStatus: Int64, Sendable, Hashable, CaseIterable {
    /// The subscriber has access.
    case active = 1
    /// The subscription has ended.
    case expired = 2
    /// Apple tries to collect the price, and the subscriber has no access.
    case billingRetry = 3
    /// Apple tries to collect the price, and the subscriber still has access.
    case gracePeriod = 4
    /// Apple took the purchase back.
    case revoked = 5

    /// The value of the fact `status`.
    public var name: String { "\(self)" }
}

/// What the payloads say about the state, and until when it can be believed.
struct StatusKnowledge: Sendable, Hashable {
    /// The state that the latest payload shows; nil when no payload shows one.
    let shown: SubscriptionStatus?
    /// The payload.
    let evidence: Evidence?
    /// The first time at which the state is unknown, because something must have happened until then; nil when the state
    /// lasts.
    let end: Int64?

    /// For how long Apple tries to collect a price after the end of a period.
    static let billingRetryMilliseconds: Int64 = 60 * 86_400_000

    init(_ story: Story) {
        let candidates = [story.shownByNotification, story.shownByRenewal, story.shownByTransaction]
        guard let latest = candidates.compactMap({ $0 }).max(by: { $0.evidence < $1.evidence }) else {
            (shown, evidence, end) = (nil, nil, nil)
            return
        }
        shown = latest.status
        evidence = latest.evidence
        end = story.end(of: latest.status)
    }

    /// The state at a time; nil when no payload shows it.
    func status(at now: Int64) -> SubscriptionStatus? {
        guard let shown, end.map({ now < $0 }) ?? true else { return nil }
        return shown
    }
}

extension Story {
    fileprivate typealias Shown = (status: SubscriptionStatus, evidence: Evidence)

    /// What the latest notification with a state says.
    fileprivate var shownByNotification: Shown? {
        guard let found = notifications.last(where: { $0.columns.status != nil }),
            let status = found.columns.status.flatMap(SubscriptionStatus.init)
        else { return nil }
        return (status, found.evidence)
    }

    /// What the latest renewal info says together with the period that ran when Apple signed it.
    fileprivate var shownByRenewal: Shown? {
        guard let renewal else { return nil }
        let period = periods.last { $0.start <= renewal.signedAt }
        let status: SubscriptionStatus
        if let revokedAt = period?.columns.revokedAt, revokedAt <= renewal.signedAt {
            status = .revoked
        } else if renewal.columns.isInBillingRetry == true {
            let isGrace = renewal.columns.gracePeriodExpiresAt.map { renewal.signedAt < $0 } ?? false
            status = isGrace ? .gracePeriod : .billingRetry
        } else if renewal.columns.expirationIntent != nil {
            status = .expired
        } else if let period, renewal.signedAt < period.end {
            status = .active
        } else {
            return nil
        }
        return (status, renewal.evidence)
    }

    /// What the running period says by itself.
    fileprivate var shownByTransaction: Shown? {
        guard let running else { return nil }
        if running.columns.revokedAt != nil { return (.revoked, running.copy.evidence) }
        return running.copy.signedAt < running.end ? (.active, running.copy.evidence) : nil
    }

    /// The first time at which a state must have become another one.
    fileprivate func end(of status: SubscriptionStatus) -> Int64? {
        switch status {
        case .active: periods.last?.end ?? renewal?.columns.renewsAt
        case .gracePeriod: renewal?.columns.gracePeriodExpiresAt ?? running?.end
        case .billingRetry: running.map { $0.end + StatusKnowledge.billingRetryMilliseconds }
        case .expired, .revoked: nil
        }
    }
}
