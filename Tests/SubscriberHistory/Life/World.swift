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

    let loss: Loss
    private(set) var life = Life()
    private(set) var truth = Truth()
    /// The times of the events.
    private(set) var times: [Int64] = []
    var generator: SeededGenerator
    /// How many events still get lost.
    private var lost = 0
    private var offers = 0
    private var lastRequest: Int64 = .min
    private var lastCancel: Int64 = .min
    private var isOver = false

    static let minute: Int64 = 60_000

    init(_ loss: Loss, _ seed: UInt64) {
        self.loss = loss
        generator = SeededGenerator(seed: seed)
        if loss == .beginning { lost = number(1...12) }
        life.now += Int64(number(0...86_399_999))
        buy(chance(30) ? .trial : chance(20) ? .introductory : chance(20) ? next(.promotional()) : nil)
        for _ in 0..<number(1...12) where !isOver { livePeriod() }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    /// Returns true in so many cases of a hundred.
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// Lets an event happen, and its payloads arrive or not.
    private mutating func happen(losing kind: Loss? = nil, _ event: (inout Life) -> Void) {
        let isLost = lost > 0 || (kind == loss && chance(15))
        lost = max(0, lost - 1)
        if isLost { life.losing(event) } else { event(&life) }
        times.append(life.now)
    }

    /// Returns an offer like another one. A customer often gets the same offer again.
    private mutating func next(_ offer: Offer) -> Offer {
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

    private mutating func note(_ state: String) { truth.states.append((life.now, state)) }

    /// Writes down the purchase that the life has made last.
    private mutating func notePurchase(isUpgrade: Bool = false) {
        guard let columns = life.transactions.last, let start = columns.purchasedAt else { return }
        truth.purchases.append(
            Truth.Purchase(
                charged: life.now,
                start: start,
                ends: [(life.now, columns.expiresAt ?? 0)],
                product: life.plan.product,
                price: columns.price ?? 0,
                offer: life.offer,
                isUpgrade: isUpgrade
            )
        )
        truth.coming.append((life.now, life.coming.product))
        if truth.states.last?.name != "active" { note("active") }
    }

    private mutating func buy(_ offer: Offer?) {
        let plan = [Plan.monthly, .premium, .basic][number(0...2)]
        if let offer, [2, 4, 5].contains(offer.type) { truth.accepted.append((life.now, offer)) }
        if truth.purchases.last.map({ life.now > $0.end(life.now) + 60 * Life.day }) ?? true {
            truth.begins.append(life.now)
        }
        if !truth.purchases.isEmpty { truth.returns.append(life.now) }
        truth.renewals.append((life.now, true))
        happen { $0.buy(plan, offer) }
        notePurchase()
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

    /// Something that the customer or Apple does during a period.
    private mutating func act() {
        // Before the begin of a period that Apple charged ahead, fewer things make sense.
        let hasBegun = life.transactions[life.place].purchasedAt.map { $0 <= life.now } ?? true
        switch number(0...(hasBegun ? 11 : 4)) {
        case 0, 1: switchRenewal()
        case 2, 3: redeem()
        case 4: upgrade()
        case 5: downgrade()
        case 6: extend()
        case 7: requestRefund()
        case 8: refund(life.place)
        case 9: refund(number(0...life.place))
        case 10: sync()
        default: happen { $0.notify("PRICE_INCREASE", "PENDING") }
        }
    }

    private var isOn: Bool { truth.renewals.last?.isOn ?? true }

    private mutating func switchRenewal() {
        if isOn {
            // A switch within two days of a request for a refund is not the customer's.
            guard
                life.now > lastRequest.addingReportingOverflow(3 * Life.day).partialValue
                    || lastRequest == .min
            else { return }
            lastCancel = life.now
            truth.switchesOff.append((life.now, true))
            happen(losing: .events) { $0.cancel(hasSubtype: $0.now % 3 != 0) }
        } else {
            happen(losing: .events) { $0.resume() }
        }
        truth.renewals.append((life.now, !isOn))
    }

    private mutating func redeem() {
        let offer = next([.promotional(), .retention(), .code][number(0...2)])
        if offer.type != 3 { truth.accepted.append((life.now, offer)) }
        truth.renewals.append((life.now, true))
        happen(losing: .events) { $0.redeem(offer) }
    }

    private mutating func upgrade() {
        let offer = chance(30) ? next(.promotional()) : nil
        if let offer { truth.accepted.append((life.now, offer)) }
        truth.renewals.append((life.now, true))
        let plan = life.plan.product == "premium" ? Plan(product: "other") : .premium
        happen { $0.upgrade(plan, offer) }
        notePurchase(isUpgrade: true)
    }

    private mutating func downgrade() {
        truth.renewals.append((life.now, true))
        happen { $0.downgrade(.basic) }
        truth.coming.append((life.now, "basic"))
        guard chance(30) else { return }
        life.now += 2 * Self.minute
        happen { $0.revert() }
        truth.coming.append((life.now, life.plan.product))
    }

    private mutating func extend() {
        happen { $0.extend(days: 5) }
        truth.purchases[life.place].ends.append((life.now, life.end))
    }

    private mutating func sync() {
        happen { $0.sync() }
        if life.payloads.syncedAt[life.subscriber] == life.now { truth.syncedAt = life.now }
    }

    /// Apple asks about a purchase, and may switch renewal off.
    private mutating func requestRefund() {
        guard isOn, lastCancel == .min || life.now > lastCancel + 3 * Life.day else { return }
        lastRequest = life.now
        happen { $0.notify("CONSUMPTION_REQUEST") }
        guard chance(60) else { return }
        life.now += 2 * Self.minute
        truth.switchesOff.append((life.now, false))
        truth.renewals.append((life.now, false))
        happen { $0.cancel() }
    }

    /// Apple gives money back, and takes some refunds back.
    private mutating func refund(_ place: Int) {
        guard truth.purchases[place].refund(life.now) == nil,
            lastCancel == .min || life.now > lastCancel + 3 * Life.day
        else { return }
        lastRequest = life.now
        let percentage: Int64 = chance(50) ? 100_000 : 30_000
        happen(losing: .events) {
            $0.refund(
                percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED",
                percentage: percentage,
                about: place
            )
        }
        truth.purchases[place].refunds.append((life.now, percentage))
        if place == life.place { note("revoked") }
        guard chance(40) else { return }
        life.now += 2 * Self.minute
        happen { $0.reverseRefund(about: place) }
        truth.purchases[place].refunds.append((life.now, 0))
        if place == life.place { note("active") }
    }

    /// What comes at the end of a period.
    private mutating func end() {
        guard isOn else {
            happen { $0.expire() }
            note("expired")
            return comeBack()
        }
        if chance(15) { return fail() }
        // A lost renewal that Apple charged ahead would be unknown while the known period still runs.
        let ahead = loss != .renewals && chance(25) ? Int64(number(1...24)) : 0
        happen(losing: .renewals) { $0.renew(ahead: ahead) }
        notePurchase()
    }

    /// Apple cannot collect the price at once.
    private mutating func fail() {
        let grace: Int64? = chance(50) ? 16 : nil
        happen { $0.failToRenew(graceDays: grace) }
        note(grace == nil ? "billingRetry" : "gracePeriod")
        if grace != nil, chance(50) {
            happen { $0.endGrace() }
            note("billingRetry")
        }
        life.now += Int64(number(1...15)) * Life.day
        if truth.states.last?.name == "gracePeriod" { life.now = min(life.now, life.end + 15 * Life.day) }
        if chance(70) {
            happen { $0.recover() }
            notePurchase()
            truth.recoveries.insert(truth.purchases[life.place].start)
        } else {
            life.now = life.end + 59 * Life.day
            if truth.states.last?.name == "gracePeriod" {
                life.now = life.end + 16 * Life.day
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
