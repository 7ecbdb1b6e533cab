/// A subscriber of the simulator: what its notifications have told so far.
struct SimulatedSubscriber: Sendable, Hashable, Codable {
    /// A transaction, without its signature: each answer signs it anew, as Apple's do.
    struct Transaction: Sendable, Hashable, Codable {
        let transactionId: String
        /// The number of the change that made or changed it last.
        var change: Int64
        var members: PayloadMembers
    }

    /// The start of the first period, milliseconds since 1970.
    let firstPurchaseDate: Int64
    /// The number of the running period; the first is 1.
    var period: Int64 = 1
    /// The transactions in the order of their first notification.
    var transactions: [Transaction] = []
    /// The renewal info, without its signature; nil for a subscriber without a subscription.
    var renewalInfo: PayloadMembers?
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; nil without a subscription.
    var status: Int64?
    /// What the subscriber has bought; nil when a user made the notifications one by one.
    var plan: SubscriberPlan?

    init(firstPurchaseDate: Int64) {
        self.firstPurchaseDate = firstPurchaseDate
    }

    /// Takes over what a notification tells.
    mutating func apply(_ payload: NotificationPayload, change: Int64) {
        guard let members = payload.transaction, let identifier = members.text("transactionId") else {
            return
        }
        if let index = transactions.firstIndex(where: { $0.transactionId == identifier }) {
            transactions[index].members = members
            transactions[index].change = change
        } else {
            transactions.append(Transaction(transactionId: identifier, change: change, members: members))
        }
        if let info = payload.renewalInfo { renewalInfo = info }
        if let status = payload.object.member("status").flatMap({ Int64($0) }) { self.status = status }
    }

    /// The times for which no sum overflows: from 1970 to the end of the year 9999.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// The greatest number of a period: a century of months.
    static let greatestPeriod: Int64 = 1200
}

extension PayloadMembers {
    /// The text of a member that is a string without escapes; nil for any other.
    func text(_ name: String) -> String? {
        guard let json = member(name), json.utf8.count >= 2, json.hasPrefix("\""), json.hasSuffix("\""),
            !json.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        return String(json.dropFirst().dropLast())
    }

    func number(_ name: String) -> Int64? { member(name).flatMap { Int64($0) } }
}
