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

    /// The family or the organization takes the subscription back.
    private mutating func takeBack() {
        let type = life.ownership == "ASSIGNED" ? "ASSIGNMENT_REVOKE" : "FAMILY_REVOKE"
        happen(losing: .events) { $0.refund(type, "REVOKE") }
        truth.purchases[life.place].takenBackAt = life.now
        note("revoked")
    }

    /// Something that happens to who pays for seats.
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

    /// Apple gives the price of seats back, and the period goes on.
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
