/// What a subscriber pays for.
struct Plan: Sendable {
    var product = "monthly"
    var group = "group"
    var days: Int64 = 30
    /// The length of a period; nil for `days`.
    var minutes: Int64?
    var price: Int64? = 9_990
    var billing: String?
    var quantity: Int64 = 1

    /// The length of a period in milliseconds.
    var length: Int64 { minutes.map { $0 * 60_000 } ?? days * Life.day }

    static let monthly = Plan()
    static let annual = Plan(product: "annual", days: 365, price: 99_990)
    static let premium = Plan(product: "premium", price: 19_990)
    static let basic = Plan(product: "basic", price: 4_990)
    static let weekly = Plan(product: "weekly", days: 7, price: 2_990)
    /// A year that is paid month by month, and one that is paid at once.
    static let commitment = Plan(product: "commitment", price: 7_990, billing: "MONTHLY")
    static let year = Plan(product: "year", days: 365, price: 79_990, billing: "BILLED_UPFRONT")
}

/// An offer, and for how many periods it lasts.
struct Offer: Sendable {
    var type: Int64
    var identifier: String?
    var discount = "PAY_AS_YOU_GO"
    var price: Int64? = 990
    var periods = 1
    /// The length of each of its periods; nil for the length of the plan's.
    var days: Int64?
    /// Tells acceptances of the same offer apart. No payload has it.
    var number = 0

    static let trial = Offer(type: 1, discount: "FREE_TRIAL", price: 0, days: 7)
    static let introductory = Offer(type: 1, periods: 3)
    static let upFront = Offer(type: 1, discount: "PAY_UP_FRONT", price: 4_990, days: 90)
    static let code = Offer(type: 3, identifier: "code")
    static let winBack = Offer(type: 4, identifier: "back")

    static func promotional(_ identifier: String? = "half", periods: Int = 1) -> Offer {
        Offer(type: 2, identifier: identifier, periods: periods)
    }

    static func retention(_ identifier: String? = "stay", periods: Int = 1) -> Offer {
        Offer(type: 5, identifier: identifier, periods: periods)
    }
}
