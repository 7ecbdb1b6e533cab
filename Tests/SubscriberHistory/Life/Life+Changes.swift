import NotificationStore

/// Changes of plan, offers and refunds.
extension Life {
    /// Upgrades at once, also to a plan of the same length.
    mutating func upgrade(_ plan: Plan, _ offer: Offer? = nil) {
        transactions[place].isUpgraded = true
        (self.plan, coming, self.offer, promised) = (plan, plan, offer, nil)
        renewal.autoRenewStatus = 1
        settle()
        pay("PURCHASE", from: now)
        notify(offer == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "UPGRADE")
    }

    /// Chooses another plan for the coming period.
    mutating func downgrade(_ plan: Plan) {
        coming = plan
        renewal.autoRenewStatus = 1
        notify("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE")
    }

    /// Takes a change back.
    mutating func revert() {
        coming = plan
        notify("DID_CHANGE_RENEWAL_PREF")
    }

    /// Accepts an offer for the coming period, with another plan or without.
    mutating func redeem(_ offer: Offer, _ plan: Plan? = nil) {
        promised = offer
        coming = plan ?? coming
        renewal.autoRenewStatus = 1
        notify("OFFER_REDEEMED", plan == nil ? nil : "DOWNGRADE")
    }

    /// Refunds a transaction; the running one if no place is given.
    mutating func refund(
        _ type: String? = "REFUND_FULL", percentage: Int64? = nil, about place: Int? = nil,
        _ notification: String = "REFUND"
    ) {
        let place = place ?? self.place
        transactions[place].revokedAt = now
        transactions[place].revocationReason = 0
        transactions[place].revocationType = type
        transactions[place].revocationPercentage = percentage
        if isRunning(place), running.allSatisfy({ transactions[$0].revokedAt != nil }) { status = 5 }
        notify(notification, about: place)
    }

    /// The places of the transactions of the running period: of its own one, and of seats that were added.
    private var running: [Int] {
        transactions.indices.filter { place in
            place == self.place
                || (transactions[place].additionalReason == "SEAT_ADDITION"
                    && transactions[place].expiresAt == transactions.last?.expiresAt)
        }
    }

    private func isRunning(_ place: Int) -> Bool { running.contains(place) }

    /// Takes a refund back.
    mutating func reverseRefund(about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedAt = nil
        transactions[place].revocationReason = nil
        transactions[place].revocationType = nil
        transactions[place].revocationPercentage = nil
        status = now < end ? 1 : 2
        notify("REFUND_REVERSED", about: place)
    }

    /// Moves the end of the running period.
    mutating func extend(days: Int64) {
        transactions[place].expiresAt = end + days * Self.day
        notify("RENEWAL_EXTENDED")
    }

    /// Raises the price of the coming period.
    mutating func raisePrice(_ price: Int64, isAccepted: Bool) {
        coming.price = price
        renewal.priceIncreaseStatus = isAccepted ? 1 : 0
        notify("PRICE_INCREASE", isAccepted ? "ACCEPTED" : "PENDING")
    }

    /// Adds seats to the running period, by a transaction of its own.
    mutating func addSeats(_ quantity: Int64) {
        let running = transactions[place]
        pay("PURCHASE", from: now, until: end)
        transactions[place].additionalReason = "SEAT_ADDITION"
        transactions[place].quantity = quantity
        // The period goes on being the last one. From now on, Apple marks its transaction, too.
        let addition = transactions.count - 1
        transactions.swapAt(addition, addition - 1)
        precondition(transactions[place] == running)
        transactions[place].additionalReason = "SEAT_ADDITION"
        notify("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", about: addition - 1)
    }

    /// Refunds seats of a transaction; of the running one if no place is given. The transaction stays valid.
    mutating func refundSeats(_ count: Int64 = 1, about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedSeatQuantity = (transactions[place].revokedSeatQuantity ?? 0) + count
        notify("REFUND", "SEATS", about: place)
    }

    /// Takes a refund of seats back.
    mutating func reverseSeatRefund(about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedSeatQuantity = nil
        notify("REFUND_REVERSED", about: place)
    }

    /// Gives a transaction again with another identifier, as Apple does when the purchase is restored on another device. From then
    /// on, Apple signs now the one and now the other.
    mutating func restore(about place: Int? = nil) {
        let place = place ?? self.place
        if let id = transactions[place].transactionID { twins.insert(id) }
        if isDelivered { sign(transactions[place]) }
    }

    /// Moves to the Advanced Commerce API, with a new `originalTransactionId` from the coming period on.
    mutating func migrate(to subscriber: String) {
        let old = self.subscriber
        now = max(now, end)
        self.subscriber = subscriber
        pay("RENEWAL", from: end)
        transactions[place].previousOriginalTransactionID = old
        transactions[place].originallyPurchasedAt = transactions[place].purchasedAt
        notify("MIGRATION")
    }

    /// Renews after such a move. The transaction names the old identifier, too.
    mutating func renewMigrated() {
        let old = transactions[place].previousOriginalTransactionID
        now = max(now, end)
        pay("RENEWAL", from: end)
        transactions[place].previousOriginalTransactionID = old
        transactions[place].originallyPurchasedAt = transactions[place - 1].originallyPurchasedAt
        notify("DID_RENEW")
    }
}
