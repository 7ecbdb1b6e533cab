internal import NotificationStore

/// One time at which the customer, and not a refund, switched renewal off.
struct Cancellation: Sendable, Hashable {
    /// `signedDate` of the notification.
    let at: Int64
    /// The notification.
    let evidence: Evidence
}

/// The times at which renewal was switched.
struct RenewalSwitches: Sendable {
    /// The latest notification that says by itself that renewal was switched on or off.
    struct Switch: Sendable, Hashable {
        /// True when renewal was switched on.
        let isOn: Bool
        /// The notification.
        let evidence: Evidence
    }

    /// The cancellations in order.
    private(set) var cancellations: [Cancellation] = []
    /// The notification that switched renewal off last; nil when renewal is on or no notification says so.
    private(set) var off: Evidence?
    /// The latest switch.
    private(set) var last: Switch?
    /// The latest notification of a switch of which no payload says whether it was on or off.
    private(set) var unknown: Evidence?
    /// True when the customer switched renewal off, or may have done so, and no notification says when.
    private(set) var hasUnseenCancellation = false

    private enum State: Hashable {
        case on
        case off
        /// A renewal info has shown renewal off, and no notification has said so yet.
        case shownOff(byCustomer: Bool)
    }

    private var state = State.on

    /// Apple switches renewal off after a request for a refund. A switch this close to one is not the customer's.
    private static let refundMilliseconds: Int64 = 48 * 3_600_000

    init(_ story: Story) {
        let refunds = story.notifications.filter {
            $0.columns.type == "REFUND" || $0.columns.type == "CONSUMPTION_REQUEST"
        }.map(\.signedAt)
        func isRefund(_ time: Int64) -> Bool {
            refunds.contains { abs($0 - time) <= Self.refundMilliseconds }
        }
        var renewals = story.renewals[...]
        for notification in story.notifications {
            let before = renewals.prefix { $0.evidence < notification.evidence }
            renewals = renewals.dropFirst(before.count)
            for renewal in before { add(renewal, isRefund) }
            if let value = Self.isOn(after: notification, story) {
                add(notification, value, isRefund)
            } else if notification.columns.type == Self.switching {
                (unknown, hasUnseenCancellation) = (notification.evidence, true)
                (state, off) = (.on, nil)
            }
        }
        for renewal in renewals { add(renewal, isRefund) }
        if state == .shownOff(byCustomer: true) { hasUnseenCancellation = true }
    }

    private mutating func add(
        _ notification: HistoryPayload<NotificationColumns>,
        _ value: Bool,
        _ isRefund: (Int64) -> Bool
    ) {
        if notification.columns.type != "SUBSCRIBED" {
            last = Switch(isOn: value, evidence: notification.evidence)
        }
        if value { return switchOn() }
        guard state != .off else { return }
        state = .off
        off = notification.evidence
        let time = notification.signedAt
        if !isRefund(time) { cancellations.append(Cancellation(at: time, evidence: notification.evidence)) }
    }

    /// Notes what a renewal info shows. Apple also reports renewal as off when the subscription ended for another reason
    /// than the customer's wish.
    private mutating func add(_ renewal: HistoryPayload<RenewalColumns>, _ isRefund: (Int64) -> Bool) {
        switch renewal.columns.autoRenewStatus {
        case 1: switchOn()
        case 0:
            guard state == .on else { return }
            let isCustomer = renewal.columns.expirationIntent.map { $0 == Self.customerIntent } ?? true
            state = .shownOff(byCustomer: isCustomer && !isRefund(renewal.signedAt))
        default: break
        }
    }

    /// `expirationIntent` of a subscription that the customer cancelled.
    private static let customerIntent: Int64 = 1

    /// The type of the notifications of a switch.
    private static let switching = "DID_CHANGE_RENEWAL_STATUS"

    private mutating func switchOn() {
        if state == .shownOff(byCustomer: true) { hasUnseenCancellation = true }
        (state, off) = (.on, nil)
    }

    /// Returns the state of renewal after a notification; nil for one that says nothing about it. Apple sends no subtype
    /// when a customer cancels after a notice of a price increase; the renewal info then decides.
    private static func isOn(after notification: HistoryPayload<NotificationColumns>, _ story: Story) -> Bool?
    {
        guard notification.columns.type == switching else {
            // A subscription that starts again renews.
            return notification.columns.type == "SUBSCRIBED" ? true : nil
        }
        switch notification.columns.subtype {
        case "AUTO_RENEW_ENABLED": return true
        case "AUTO_RENEW_DISABLED": return false
        default:
            let renewal = story.renewal(of: notification)
            switch renewal?.columns.autoRenewStatus {
            case 0: return false
            case 1: return true
            default: return nil
            }
        }
    }
}
