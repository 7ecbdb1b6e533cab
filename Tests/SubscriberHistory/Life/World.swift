import NotificationStore
import SubscriberHistory
import Support

/// A random subscriber: the payloads that Apple would send, and the truth.
struct World {
    /// What of a life gets lost.
    enum Loss: CaseIterable {
        /// Everything arrives.
        case nothing
        /// Everything before some event gets lost.
        case beginning
        /// Some renewals get lost.
        case renewals
        /// Some switches of renewal, refunds and accepted offers get lost.
        case events
    }

    /// The kinds of lives.
    enum Kind: CaseIterable {
        /// A customer of plans of one month.
        case customer
        /// A customer of plans of several lengths; one of them is paid month by month.
        case mover
        /// A member of a family or an organization who pays, and who may buy a subscription of their own later.
        case guest
        /// A customer who pays for seats.
        case team
    }

    let loss: Loss
    var kind: Kind
    var life = Life()
    var truth = Truth()
    /// The times of the events, and of those that got lost.
    private(set) var times: [Int64] = []
    private(set) var lostTimes: Set<Int64> = []
    var generator: SeededGenerator
    /// How many events still get lost.
    private var lost = 0
    private var offers = 0
    var lastRequest: Int64 = .min
    var lastCancel: Int64 = .min
    private var isOver = false
    /// `inAppOwnershipType` of what somebody else pays.
    private var guestOwnership = "FAMILY_SHARED"

    static let minute: Int64 = 60_000

    init(_ loss: Loss, _ kind: Kind, _ seed: UInt64) {
        (self.loss, self.kind) = (loss, kind)
        generator = SeededGenerator(seed: seed)
        if kind == .guest { beGuest() }
        if loss == .beginning { lost = number(1...12) }
        life.now += Int64(number(0...86_399_999))
        buy(chance(30) ? .trial : chance(20) ? .introductory : chance(20) ? next(.promotional()) : nil)
        for _ in 0..<number(1...12) where !isOver { livePeriod() }
    }

    /// A transaction that somebody else paid has no price.
    private mutating func beGuest() {
        if chance(40) { guestOwnership = "ASSIGNED" }
        life.alteringTransaction = {
            if $0.ownership != "PURCHASED" { ($0.price, $0.currency) = (nil, nil) }
        }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    /// Returns true in so many cases of a hundred.
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// Lets an event happen, and its payloads arrive or not.
    mutating func happen(losing kind: Loss? = nil, _ event: (inout Life) -> Void) {
        let isLost = lost > 0 || (kind == loss && chance(15))
        lost = max(0, lost - 1)
        if isLost { life.losing(event) } else { event(&life) }
        times.append(life.now)
        if isLost { lostTimes.insert(life.now) }
        truth.comingPrices.append((life.now, life.comingPrice))
    }

    /// Returns an offer like another one. A customer often gets the same offer again.
    mutating func next(_ offer: Offer) -> Offer {
        var offer = offer
        offers += 1
        offer.number = offers
        offer.identifier = "offer \(number(1...3))"
        if chance(70) {
            offer.periods = number(1...3)
        } else {
            offer.discount = chance(50) ? "PAY_UP_FRONT" : "FREE_TRIAL"
        }
        return offer
    }

    mutating func note(_ state: String) { truth.states.append((life.now, state)) }

    /// Writes down the purchase that the life has made last.
    mutating func notePurchase(isUpgrade: Bool = false) {
        guard let columns = life.transactions.last, let start = columns.purchasedAt else { return }
        let ownership = life.ownership ?? ""
        truth.purchases.append(
            Truth.Purchase(
                charged: life.now, start: start, ends: [(life.now, columns.expiresAt ?? 0)], plan: life.plan,
                ownership: ownership, price: ownership == "PURCHASED" ? columns.price : nil,
                offer: life.offer, isUpgrade: isUpgrade, quantity: columns.quantity ?? 0)
        )
        truth.coming.append((life.now, life.coming.product))
        if truth.states.last?.name != "active" { note("active") }
    }

    mutating func buy(_ offer: Offer?) {
        let plan = newPlan()
        life.ownership = kind == .guest ? guestOwnership : "PURCHASED"
        if kind != .guest {
            if let offer, [2, 4, 5].contains(offer.type) { truth.accepted.append((life.now, offer)) }
            if truth.purchases.contains(where: \.isOwn) { truth.returns.append(life.now) }
        }
        if truth.purchases.last.map({ life.now > $0.end(life.now) + 60 * Life.day }) ?? true {
            truth.begins.append(life.now)
        }
        truth.renewals.append((life.now, true))
        happen { $0.buy(plan, offer) }
        notePurchase()
    }

    /// What the subscriber chooses first.
    private mutating func newPlan() -> Plan {
        switch kind {
        case .customer, .guest: [Plan.monthly, .premium, .basic][number(0...2)]
        case .mover: [Plan.year, .commitment, .weekly][number(0...2)]
        case .team: Plan(product: "team", price: 5_000, quantity: Int64(number(2...20)))
        }
    }

    /// Lives through the running period, and what comes after it.
    private mutating func livePeriod() {
        for _ in 0..<number(0...4) {
            let rest = life.end - life.now - 3 * Life.day
            guard rest > Life.day else { break }
            life.now += Int64.random(in: (2 * Self.minute)...rest / 2, using: &generator)
            act()
            if truth.states.last?.name == "revoked" { return comeBack() }
        }
        end()
    }

    /// What comes at the end of a period.
    private mutating func end() {
        guard isOn else {
            happen { $0.expire() }
            note("expired")
            return comeBack()
        }
        if chance(15) { return fail() }
        // Apple moves the product to another group from the next period on.
        if kind == .mover, chance(10) { life.coming.group = "other group" }
        // A lost renewal that Apple charged ahead would be unknown while the known period still runs.
        let ahead = loss != .renewals && chance(25) ? Int64(number(1...24)) : 0
        happen(losing: .renewals) { $0.renew(ahead: ahead) }
        notePurchase()
    }

    /// Apple cannot collect the price at once.
    private mutating func fail() {
        let days: Int64 = min(life.plan.days, life.coming.days) < 28 ? 6 : 16
        let grace = chance(50) ? days : nil
        let graceEnd = life.end + days * Life.day
        happen { $0.failToRenew(graceDays: grace) }
        let failedAt = life.now
        truth.graceEnds.append((failedAt, graceEnd))
        note(grace == nil ? "billingRetry" : "gracePeriod")
        if grace != nil, chance(50) {
            happen { $0.endGrace() }
            note("billingRetry")
        }
        life.now += Int64(number(1...15)) * Life.day
        if truth.states.last?.name == "gracePeriod" { life.now = min(life.now, graceEnd - Life.day) }
        if chance(70) {
            happen { $0.recover() }
            notePurchase()
            truth.recoveries[truth.purchases[life.place].start] = failedAt
        } else {
            life.now = life.end + 59 * Life.day
            if truth.states.last?.name == "gracePeriod" {
                life.now = graceEnd
                happen { $0.endGrace() }
                note("billingRetry")
                life.now = life.end + 59 * Life.day
            }
            happen { $0.expire("BILLING_RETRY") }
            truth.renewals.append((life.now, false))
            note("expired")
            comeBack()
        }
    }

    /// The customer buys again, or is gone.
    private mutating func comeBack() {
        guard chance(60) else {
            isOver = true
            return
        }
        if kind == .guest, chance(50) { kind = .customer }
        // Who lost the subscription by a refund may buy again before its period would have ended.
        life.now = chance(30) ? life.now : max(life.now, life.end)
        life.now += Int64(number(1...90)) * Life.day
        buy(chance(30) ? next(chance(50) ? .winBack : .promotional()) : nil)
        if chance(50) {
            life.now += 2 * Self.minute
            sync()
        }
    }
}
