internal import NotificationStore

/// What one notification says about renewal.
struct RenewalNotice: Sendable {
    enum Kind: Sendable, Hashable {
        /// A subscription began, or began again. It renews.
        case purchase
        /// Renewal was switched on. `isNamed` when the subtype says so, and not only the renewal info.
        case on(isNamed: Bool)
        /// Renewal was switched off.
        case off
        /// Renewal was switched, and no payload says which way.
        case unknown
        /// The subscription ended, `byCustomer` when because of the customer's wish.
        case end(byCustomer: Bool, hasRenewal: Bool)
    }

    let kind: Kind
    let evidence: Evidence

    /// Makes a notice; nil when the notification says nothing about renewal. Apple sends no subtype when a customer cancels
    /// after a notice of a price increase; the renewal info then decides.
    private init?(_ notification: HistoryPayload<NotificationColumns>, _ story: Story) {
        evidence = notification.evidence
        switch (notification.columns.type, notification.columns.subtype) {
        case ("SUBSCRIBED", _): kind = .purchase
        case ("EXPIRED", let subtype):
            let renewal = story.renewal(of: notification)
            kind = .end(byCustomer: subtype == "VOLUNTARY", hasRenewal: renewal != nil)
        case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"): kind = .on(isNamed: true)
        case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"): kind = .off
        case ("DID_CHANGE_RENEWAL_STATUS", _):
            switch story.renewal(of: notification)?.columns.autoRenewStatus {
            case 0: kind = .off
            case 1: kind = .on(isNamed: false)
            default: kind = .unknown
            }
        default: return nil
        }
    }

    /// Returns the notices in order. Only what was bought can be switched, so a purchase comes before what has the same time.
    static func all(in story: Story) -> [Self] {
        var notices: [Self] = []
        for notification in story.notifications {
            guard let notice = Self(notification, story) else { continue }
            var place = notices.count
            while notice.kind == .purchase, place > 0, notices[place - 1].kind != .purchase,
                notices[place - 1].evidence.signedAt == notice.evidence.signedAt
            {
                place -= 1
            }
            notices.insert(notice, at: place)
        }
        return notices
    }

    /// Returns true when this notice and one before it have the same time and this one comes first: the other one repeats how
    /// renewal was, and this one changes it.
    func comesFirst(before other: Self, _ isOn: Bool?) -> Bool {
        guard let isOn, evidence.signedAt == other.evidence.signedAt else { return false }
        return other.isSwitch(on: isOn) && isSwitch(on: !isOn)
    }

    /// True for the notice of the end of a subscription.
    var isEnd: Bool {
        if case .end = kind { true } else { false }
    }

    private func isSwitch(on isOn: Bool) -> Bool {
        switch kind {
        case .on: isOn
        case .off: !isOn
        default: false
        }
    }
}
