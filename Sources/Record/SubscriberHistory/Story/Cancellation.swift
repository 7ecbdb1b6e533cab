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
    /// The cancellations in order.
    private(set) var cancellations: [Cancellation] = []
    /// The notification that switched renewal off last; nil when renewal is on or no notification says so.
    private(set) var off: Evidence?

    /// Apple switches renewal off after a request for a refund. A switch this close to one is not the customer's.
    static let refundMilliseconds: Int64 = 48 * 3_600_000

    init(_ story: Story) {
        let refunds = story.notifications.filter {
            ["CONSUMPTION_REQUEST", "REFUND"].contains($0.columns.type)
        }.map(\.signedAt)
        var isOn = true
        for notification in story.notifications {
            guard let value = Self.isOn(after: notification, story) else { continue }
            defer { isOn = value }
            if value {
                off = nil
                continue
            }
            guard isOn else { continue }
            off = notification.evidence
            let time = notification.signedAt
            guard !refunds.contains(where: { abs($0 - time) <= Self.refundMilliseconds }) else { continue }
            cancellations.append(Cancellation(at: time, evidence: notification.evidence))
        }
    }

    /// Returns the state of renewal after a notification; nil for one that says nothing about it. Apple sends no subtype
    /// when a customer cancels after a notice of a price increase; the renewal info then decides.
    private static func isOn(after notification: HistoryPayload<NotificationColumns>, _ story: Story) -> Bool?
    {
        guard notification.columns.type == "DID_CHANGE_RENEWAL_STATUS" else {
            // A subscription that starts again renews.
            return notification.columns.type == "SUBSCRIBED" ? true : nil
        }
        switch notification.columns.subtype {
        case "AUTO_RENEW_ENABLED": return true
        case "AUTO_RENEW_DISABLED": return false
        default:
            let renewal = story.renewalOfNotification[notification.evidence.name]
            switch renewal?.columns.autoRenewStatus {
            case 0: return false
            case 1: return true
            default: return nil
            }
        }
    }
}
