import NotificationStore
import SubscriberHistory

/// What happens during a period.
extension World {
    /// Something that the customer or Apple does during a period.
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
        notePurchase(isUpgrade: true)
    }

    /// A plan in place of the running one. It may be shorter or longer.
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

    /// Apple asks about a purchase, and may switch renewal off.
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

    /// Apple gives money back, and takes some refunds back.
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
        if life.status == 5 { note("revoked") }
        guard chance(40) else { return }
        life.now += 2 * Self.minute
        happen { $0.reverseRefund(about: place) }
        truth.purchases[place].refunds.append((life.now, 0))
        if truth.states.last?.name == "revoked" { note("active") }
    }
}
