internal import NotificationStore

struct RenewalSwitches: Sendable {
    /// The latest notification that says by itself that renewal is on or off.
    struct Switch: Sendable, Hashable {
        let isOn: Bool
        let evidence: Evidence
    }

    /// When the customer, and not a refund, switched renewal off.
    private(set) var cancellations: [Int64] = []
    /// The notification that switched renewal off last; nil when renewal is on or no notification says so.
    private(set) var off: Evidence?
    private(set) var last: Switch?
    /// The latest notification of a switch of which no payload says whether it was on or off.
    private(set) var unknown: Evidence?
    /// True when the customer switched renewal off, or may have done so, and no notification says when.
    private(set) var hasUnseenCancellation = false

    private enum State: Hashable {
        case unknown
        case on
        case off
        /// A payload has shown renewal off, and no notification has said so yet.
        case shownOff(byCustomer: Bool)

        var isOn: Bool? { self == .unknown ? nil : self == .on }
    }

    /// True when renewal is off because the customer switched it off.
    private(set) var isOffByCustomer = false
    private var state = State.unknown
    /// The time of the payload that changed the state last, or that repeated it after more than ``repetitionMilliseconds``.
    private var changedAt: Int64 = 0
    private let refunds: [Int64]

    /// Apple switches renewal off after a request for a refund. A switch this close to one is not the customer's.
    static let refundMilliseconds: Int64 = 48 * 3_600_000
    /// Apple may tell of one switch more than once: by itself, and with the purchase or the offer that came with it. What it
    /// tells this close together is one switch.
    private static let repetitionMilliseconds: Int64 = 3 * 3_600_000
    /// `expirationIntent` of a subscription that the customer cancelled.
    private static let customerIntent: Int64 = 1

    /// Refunds of any time are a reason; what Apple signed after `end` about renewal does not count.
    init(
        _ story: Story, refundTypes: Set<String> = ["REFUND", "CONSUMPTION_REQUEST"], until end: Int64 = .max
    ) {
        refunds = story.notifications.filter { $0.columns.type.map(refundTypes.contains) ?? false }.map(
            \.signedAt)
        var notices = RenewalNotice.all(in: story).filter { $0.evidence.signedAt <= end }
        // A notice says more than a renewal info of the same time.
        let times = Set(notices.lazy.filter { !$0.isEnd }.map(\.evidence.signedAt))
        var renewals = story.renewals.prefix { $0.signedAt <= end }
        for place in notices.indices {
            let before = renewals.prefix { $0.evidence < notices[place].evidence }
            renewals = renewals.dropFirst(before.count)
            for renewal in before where !times.contains(renewal.signedAt) { add(renewal) }
            if place + 1 < notices.count, notices[place + 1].comesFirst(before: notices[place], state.isOn) {
                notices.swapAt(place, place + 1)
            }
            add(notices[place])
        }
        for renewal in renewals where !times.contains(renewal.signedAt) { add(renewal) }
        if state == .shownOff(byCustomer: true) { hasUnseenCancellation = true }
    }

    private func isRefund(_ time: Int64) -> Bool {
        refunds.contains { abs($0 - time) <= Self.refundMilliseconds }
    }

    private func isRepetition(_ time: Int64) -> Bool { time - changedAt < Self.repetitionMilliseconds }

    private mutating func add(_ notice: RenewalNotice) {
        let time = notice.evidence.signedAt
        switch notice.kind {
        case .purchase:
            switchOn(time)
            changedAt = time
        case .on(let isNamed):
            last = Switch(isOn: true, evidence: notice.evidence)
            // Renewal had gone off before, and that notification was lost.
            if isNamed, state == .on, !isRepetition(time) { hasUnseenCancellation = true }
            switchOn(time)
            changedAt = time
        case .off:
            last = Switch(isOn: false, evidence: notice.evidence)
            switchOff(notice.evidence)
        case .unknown:
            (unknown, hasUnseenCancellation) = (notice.evidence, true)
            (state, off, isOffByCustomer) = (.unknown, nil, false)
        case .end(let isCustomer, let hasRenewal):
            if !hasRenewal { last = Switch(isOn: false, evidence: notice.evidence) }
            showOff(time, byCustomer: isCustomer)
        }
    }

    /// Apple also reports renewal as off when the subscription ended for another reason than the customer's wish.
    private mutating func add(_ renewal: HistoryPayload<RenewalColumns>) {
        switch renewal.columns.autoRenewStatus {
        case 1: switchOn(renewal.signedAt)
        case 0:
            let isCustomer = renewal.columns.expirationIntent.map { $0 == Self.customerIntent } ?? true
            showOff(renewal.signedAt, byCustomer: isCustomer)
        default: break
        }
    }

    private mutating func switchOn(_ time: Int64) {
        if state == .shownOff(byCustomer: true) { hasUnseenCancellation = true }
        if state != .on { changedAt = time }
        (state, off, isOffByCustomer) = (.on, nil, false)
    }

    private mutating func switchOff(_ notice: Evidence) {
        let time = notice.signedAt
        // Renewal that is off goes off again only if it was on between.
        if state == .off, isRepetition(time) || isRefund(time) { return }
        if state == .shownOff(byCustomer: true), !isRepetition(time) { hasUnseenCancellation = true }
        (state, off, changedAt) = (.off, notice, time)
        isOffByCustomer = !isRefund(time)
        if isOffByCustomer { cancellations.append(time) }
    }

    private mutating func showOff(_ time: Int64, byCustomer isCustomer: Bool) {
        guard state == .on || state == .unknown else { return }
        isOffByCustomer = isCustomer && !isRefund(time)
        (state, changedAt) = (.shownOff(byCustomer: isOffByCustomer), time)
    }
}

struct RenewalNotice: Sendable {
    enum Kind: Sendable, Hashable {
        case purchase
        case on(isNamed: Bool)
        case off
        case unknown
        /// The subscription ended, `byCustomer` when because of the customer's wish.
        case end(byCustomer: Bool, hasRenewal: Bool)
    }

    let kind: Kind
    let evidence: Evidence

    /// Nil when the notification says nothing about renewal. Apple sends no subtype when a customer cancels after a
    /// notice of a price increase; the renewal info then decides.
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

    /// Only what was bought can be switched, so a purchase comes before what has the same time.
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
