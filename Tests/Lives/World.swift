import NotificationStore
import SubscriberHistory
import Support

struct World {
    enum Loss: CaseIterable {
        case nothing
        case beginning
        case renewals
        case events
    }

    enum Kind: CaseIterable {
        case customer
        /// A customer of plans of several lengths; one of them is paid month by month.
        case mover
        /// A member of a family or an organization who pays, and who may buy a subscription of their own later.
        case guest
        case team
    }

    let loss: Loss
    var kind: Kind
    var life = Life()
    var truth = Truth()
    private(set) var times: [Int64] = []
    private(set) var lostTimes: Set<Int64> = []
    var generator: SeededGenerator
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

    mutating func happen(losing kind: Loss? = nil, _ event: (inout Life) -> Void) {
        let isLost = lost > 0 || (kind == loss && chance(15))
        lost = max(0, lost - 1)
        if isLost { life.losing(event) } else { event(&life) }
        times.append(life.now)
        if isLost { lostTimes.insert(life.now) }
        truth.comingPrices.append((life.now, life.comingPrice))
    }

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

    mutating func remember(_ state: String) { truth.states.append((life.now, state)) }

    mutating func rememberPurchase(isUpgrade: Bool = false) {
        guard let columns = life.transactions.last, let start = columns.purchasedAt else { return }
        let ownership = life.ownership ?? ""
        truth.purchases.append(
            Truth.Purchase(
                charged: life.now, start: start, ends: [(life.now, columns.expiresAt ?? 0)], plan: life.plan,
                ownership: ownership, price: ownership == "PURCHASED" ? columns.price : nil,
                offer: life.offer, isUpgrade: isUpgrade, quantity: columns.quantity ?? 0)
        )
        truth.coming.append((life.now, life.coming.product))
        if truth.states.last?.name != "active" { remember("active") }
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
        rememberPurchase()
    }

    private mutating func newPlan() -> Plan {
        switch kind {
        case .customer, .guest: [Plan.monthly, .premium, .basic][number(0...2)]
        case .mover: [Plan.year, .commitment, .weekly][number(0...2)]
        case .team: Plan(product: "team", price: 5_000, quantity: Int64(number(2...20)))
        }
    }

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

    private mutating func end() {
        guard isOn else {
            happen { $0.expire() }
            remember("expired")
            return comeBack()
        }
        if chance(15) { return fail() }
        // Apple moves the product to another group from the next period on.
        if kind == .mover, chance(10) { life.coming.group = "other group" }
        // A lost renewal that Apple charged ahead would be unknown while the known period still runs.
        let ahead = loss != .renewals && chance(25) ? Int64(number(1...24)) : 0
        happen(losing: .renewals) { $0.renew(ahead: ahead) }
        rememberPurchase()
    }

    /// Apple cannot collect the price at once.
    private mutating func fail() {
        let days: Int64 = min(life.plan.days, life.coming.days) < 28 ? 6 : 16
        let grace = chance(50) ? days : nil
        let graceEnd = life.end + days * Life.day
        happen { $0.failToRenew(graceDays: grace) }
        let failedAt = life.now
        truth.graceEnds.append((failedAt, graceEnd))
        remember(grace == nil ? "billingRetry" : "gracePeriod")
        if grace != nil, chance(50) {
            happen { $0.endGrace() }
            remember("billingRetry")
        }
        life.now += Int64(number(1...15)) * Life.day
        if truth.states.last?.name == "gracePeriod" { life.now = min(life.now, graceEnd - Life.day) }
        if chance(70) {
            happen { $0.recover() }
            rememberPurchase()
            truth.recoveries[truth.purchases[life.place].start] = failedAt
        } else {
            life.now = life.end + 59 * Life.day
            if truth.states.last?.name == "gracePeriod" {
                life.now = graceEnd
                happen { $0.endGrace() }
                remember("billingRetry")
                life.now = life.end + 59 * Life.day
            }
            happen { $0.expire("BILLING_RETRY") }
            truth.renewals.append((life.now, false))
            remember("expired")
            comeBack()
        }
    }

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

extension World {
    mutating func act() {
        if chance(5) {
            happen { $0.restore() }
            life.now += 2 * Self.minute
        }
        // Before the begin of a period that Apple charged ahead, fewer things make sense.
        let hasBegun = life.transactions[life.place].purchasedAt.map { $0 <= life.now } ?? true
        switch kind {
        case .guest: return actAsGuest(hasBegun)
        case .team: return actAsTeam(hasBegun)
        case .customer, .mover: break
        }
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

    var isOn: Bool { truth.renewals.last?.isOn ?? true }

    mutating func switchRenewal() {
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
            truth.resumes.append(life.now)
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

    mutating func upgrade() {
        let offer = chance(30) ? next(.promotional()) : nil
        if let offer { truth.accepted.append((life.now, offer)) }
        truth.renewals.append((life.now, true))
        let plan = otherPlan()
        happen { $0.upgrade(plan, offer) }
        rememberPurchase(isUpgrade: true)
    }

    private mutating func otherPlan() -> Plan {
        switch kind {
        case .customer, .guest: return life.plan.product == "premium" ? Plan(product: "other") : .premium
        case .mover:
            let plans = [Plan.year, .commitment, .weekly, .monthly].filter { $0.product != life.plan.product }
            return plans[number(0...plans.count - 1)]
        case .team:
            let isTeam = life.plan.product == "team"
            return Plan(product: isTeam ? "team plus" : "team", price: 7_000, quantity: life.coming.quantity)
        }
    }

    private mutating func downgrade() {
        truth.renewals.append((life.now, true))
        let plan = kind == .mover ? otherPlan() : .basic
        happen { $0.downgrade(plan) }
        truth.coming.append((life.now, plan.product))
        guard chance(30) else { return }
        life.now += 2 * Self.minute
        happen { $0.revert() }
        truth.coming.append((life.now, life.plan.product))
    }

    mutating func extend() {
        happen { $0.extend(days: 5) }
        truth.purchases[life.place].ends.append((life.now, life.end))
    }

    mutating func sync() {
        happen { $0.sync() }
        if life.payloads.syncedAt[life.subscriber] == life.now { truth.syncedAt = life.now }
    }

    mutating func requestRefund() {
        guard isOn, lastCancel == .min || life.now > lastCancel + 3 * Life.day else { return }
        lastRequest = life.now
        happen { $0.notify("CONSUMPTION_REQUEST") }
        guard chance(60) else { return }
        life.now += 2 * Self.minute
        truth.switchesOff.append((life.now, false))
        truth.renewals.append((life.now, false))
        happen { $0.cancel() }
    }

    mutating func refund(_ place: Int) {
        guard truth.purchases[place].isOwn, truth.purchases[place].refund(life.now) == nil,
            lastCancel == .min || life.now > lastCancel + 3 * Life.day
        else { return }
        lastRequest = life.now
        let percentage: Int64 = chance(50) ? 100_000 : 30_000
        happen(losing: .events) {
            $0.refund(
                percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED", percentage: percentage,
                about: place)
        }
        truth.purchases[place].refunds.append((life.now, percentage))
        if life.status == 5 { remember("revoked") }
        guard chance(40) else { return }
        life.now += 2 * Self.minute
        happen { $0.reverseRefund(about: place) }
        truth.purchases[place].refunds.append((life.now, 0))
        if truth.states.last?.name == "revoked" { remember("active") }
    }
}

/// Subscriptions that somebody else pays, and those of several people.
extension World {
    /// Something that happens to who does not pay.
    mutating func actAsGuest(_ hasBegun: Bool) {
        switch number(0...(hasBegun ? 5 : 1)) {
        case 0: happen { $0.notify("PRICE_INCREASE", "PENDING") }
        case 1:
            // Who pays accepts an offer. The guest's renewal info names it.
            life.promised = next(.promotional())
            happen { $0.notify("PRICE_INCREASE", "PENDING") }
        case 2: extend()
        case 3: sync()
        case 4:
            kind = .customer
            buy(nil)
        default: takeBack()
        }
    }

    private mutating func takeBack() {
        let type = life.ownership == "ASSIGNED" ? "ASSIGNMENT_REVOKE" : "FAMILY_REVOKE"
        happen(losing: .events) { $0.refund(type, "REVOKE") }
        truth.purchases[life.place].takenBackAt = life.now
        remember("revoked")
    }

    mutating func actAsTeam(_ hasBegun: Bool) {
        switch number(0...(hasBegun ? 8 : 1)) {
        case 0: switchRenewal()
        case 1: upgrade()
        case 2, 3: addSeats()
        case 4: refundSeats()
        case 5:
            life.coming.quantity = max(1, life.coming.quantity - Int64(number(1...3)))
            happen { $0.notify("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY") }
        case 6: refund(number(0...life.place))
        case 7: sync()
        default: requestRefund()
        }
    }

    private mutating func addSeats() {
        let (running, count) = (truth.purchases[life.place], Int64(number(1...5)))
        happen(losing: .events) { $0.addSeats(count) }
        life.coming.quantity += count
        let addition = Truth.Purchase(
            charged: life.now, start: life.now, ends: [(life.now, life.end)], plan: running.plan,
            ownership: running.ownership, price: running.price, offer: life.offer, isSeatAddition: true,
            quantity: count)
        // As in the life, the period goes on being the last purchase.
        truth.purchases.insert(addition, at: truth.purchases.count - 1)
    }

    private mutating func refundSeats() {
        let place = truth.purchases.lastIndex { $0.isSeatAddition } ?? life.place
        let some = chance(50) ? place : life.place
        guard truth.purchases[some].refund(life.now) == nil, truth.purchases[some].seats(life.now) > 1,
            lastCancel == .min || life.now > lastCancel + 3 * Life.day
        else { return }
        lastRequest = life.now
        let count = Int64(number(1...Int(truth.purchases[some].seats(life.now)) - 1))
        happen(losing: .events) { $0.refundSeats(count, about: some) }
        truth.purchases[some].seatRefunds.append((life.now, count))
    }
}
