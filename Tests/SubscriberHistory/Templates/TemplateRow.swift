import NotificationStore
import SubscriberHistory
import Testing

/// A life, and what a template must decide for it on a day.
struct TemplateRow: Sendable, CustomTestStringConvertible {
    let template: String
    let title: String
    let day: Double
    /// The rule that must decide; nil for the default.
    let rule: String?
    let life: @Sendable (inout Life) -> Void

    init(
        _ template: String, _ title: String, on day: Double, _ rule: String?,
        _ life: @escaping @Sendable (inout Life) -> Void
    ) {
        (self.template, self.title, self.day, self.rule, self.life) = (template, title, day, rule, life)
    }

    var testDescription: String { "\(template): \(title)" }

    /// The plans of the templates.
    static let monthly = Plan(product: "pro_monthly")
    static let annual = Plan(product: "pro_annual", days: 365, price: 99_990)

    static let all = loyal + trial + priceRise + winBack + once

    private static let loyal = [
        TemplateRow("loyal-annual", "six months paid", on: 151, "loyal_to_annual") {
            $0.buy(monthly)
            $0.renew(5)
        },
        TemplateRow("loyal-annual", "five months paid", on: 121, nil) {
            $0.buy(monthly)
            $0.renew(4)
        },
        TemplateRow("loyal-annual", "six months paid, one of them refunded", on: 152, nil) {
            $0.buy(monthly)
            $0.renew(5)
            $0.to(151)
            $0.refund(about: 2)
        },
        TemplateRow("loyal-annual", "a free week does not count", on: 130, nil) {
            $0.buy(monthly, .trial)
            $0.renew(5)
        },
        TemplateRow("loyal-annual", "the annual plan is chosen for the next period", on: 161, nil) {
            $0.buy(monthly)
            $0.renew(5)
            $0.to(160)
            $0.downgrade(annual)
        },
        TemplateRow("loyal-annual", "a part of the history is lost", on: 301, nil) {
            $0.losing {
                $0.buy(monthly)
                $0.renew(3)
            }
            $0.renew(7)
        },
        TemplateRow("loyal-annual", "and Apple gave the history", on: 302, "loyal_to_annual") {
            $0.losing {
                $0.buy(monthly)
                $0.renew(3)
            }
            $0.renew(7)
            $0.to(301)
            $0.sync()
        },
        TemplateRow("loyal-annual", "a discount runs", on: 181, nil) {
            $0.buy(monthly)
            $0.renew(5)
            $0.to(160)
            $0.redeem(.promotional())
            $0.renew()
        },
        TemplateRow("loyal-annual", "an offer code runs", on: 181, nil) {
            $0.buy(monthly)
            $0.renew(5)
            $0.to(160)
            $0.redeem(.code)
            $0.renew()
        },
        TemplateRow("loyal-annual", "a win-back offer runs", on: 201, nil) {
            $0.buy(monthly)
            $0.renew(5)
            $0.to(170)
            $0.cancel()
            $0.expire()
            $0.to(200)
            $0.buy(monthly, .winBack)
            $0.sync()
        },
        TemplateRow("loyal-annual", "a member of the family pays", on: 211, nil) {
            $0.ownership = "FAMILY_SHARED"
            $0.buy(monthly)
            $0.renew(7)
        },
    ]

    private static let trial = [
        TemplateRow("trial", "in the free week", on: 3, "trial") { $0.buy(monthly, .trial) },
        TemplateRow("trial", "the introductory price", on: 31, "introductory_price") {
            $0.buy(monthly, .introductory)
            $0.renew()
        },
        TemplateRow("trial", "the first paid month", on: 10, nil) {
            $0.buy(monthly, .trial)
            $0.renew()
        },
        TemplateRow("trial", "the first month at the full price, after the introductory one", on: 91, nil) {
            $0.buy(monthly, .introductory)
            $0.renew(3)
        },
        TemplateRow("trial", "the second month at the full price", on: 121, "after_full_price") {
            $0.buy(monthly, .introductory)
            $0.renew(4)
        },
        TemplateRow("trial", "a month with an offer code", on: 128, nil) {
            $0.buy(monthly, .trial)
            $0.renew(4)
            $0.to(110)
            $0.redeem(.code)
            $0.renew()
        },
        TemplateRow("trial", "the month after an offer code", on: 158, "after_full_price") {
            $0.buy(monthly, .trial)
            $0.renew(4)
            $0.to(110)
            $0.redeem(.code)
            $0.renew(2)
        },
        TemplateRow("trial", "an offer was accepted before", on: 400, nil) {
            $0.buy(monthly, .trial)
            $0.renew()
            $0.to(20)
            $0.redeem(.promotional())
            $0.renew(14)
        },
    ]

    private static let priceRise = [
        TemplateRow("price-rise", "twelve months paid", on: 341, "annual_at_the_old_price") {
            $0.buy(monthly)
            $0.renew(11)
            $0.to(340)
            $0.raisePrice(11_990, isAccepted: false)
        },
        TemplateRow("price-rise", "two months paid", on: 41, "reasons_for_the_rise") {
            $0.buy(monthly)
            $0.renew()
            $0.to(40)
            $0.raisePrice(11_990, isAccepted: true)
        },
        TemplateRow("price-rise", "after the rise", on: 61, nil) {
            $0.buy(monthly)
            $0.renew()
            $0.to(40)
            $0.raisePrice(11_990, isAccepted: true)
            $0.plan.price = 11_990
            $0.renew()
        },
        TemplateRow("price-rise", "a discount ends", on: 31, nil) {
            $0.buy(monthly)
            $0.to(20)
            $0.redeem(.promotional())
            $0.renew()
        },
        TemplateRow("price-rise", "renewal is off", on: 42, nil) {
            $0.buy(monthly)
            $0.renew()
            $0.to(40)
            $0.raisePrice(11_990, isAccepted: false)
            $0.to(41)
            $0.cancel()
        },
    ]

    private static let winBack = [
        TemplateRow("win-back", "came back with a win-back offer", on: 61, "won_back") {
            $0.buy(monthly)
            $0.to(10)
            $0.cancel()
            $0.expire()
            $0.to(60)
            $0.buy(monthly, .winBack)
            $0.sync()
        },
        TemplateRow("win-back", "switched renewal off and, a minute later, on again", on: 62, nil) {
            $0.buy(monthly)
            $0.renew(2)
            $0.to(61)
            $0.cancel()
            $0.now += 60_000
            $0.resume()
        },
        TemplateRow("win-back", "left and came back", on: 111, "came_back") {
            $0.leaveAndReturn(monthly)
            $0.sync()
        },
        TemplateRow("win-back", "left and came back with an offer code", on: 111, nil) {
            $0.leaveAndReturn(monthly, .code)
            $0.sync()
        },
        TemplateRow("win-back", "and the next month at the full price", on: 141, "came_back") {
            $0.leaveAndReturn(monthly, .code)
            $0.sync()
            $0.renew()
        },
        TemplateRow("win-back", "left and came back, and cancels again", on: 113, nil) {
            $0.leaveAndReturn(monthly)
            $0.sync()
            $0.to(112)
            $0.cancel()
        },
        TemplateRow("win-back", "never cancelled", on: 31, nil) {
            $0.buy(monthly)
            $0.renew()
        },
        TemplateRow("win-back", "the time in which the customer was away is unknown", on: 111, nil) {
            $0.leaveAndReturn(monthly)
        },
        TemplateRow("win-back", "and recover has read every notification of that time", on: 111, "came_back")
        {
            $0.leaveAndReturn(monthly)
            $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(111))]
        },
    ]

    private static let once = [
        TemplateRow("once-in-180-days", "never had an offer", on: 1, "half_price") { $0.buy(monthly) },
        TemplateRow("once-in-180-days", "in a free trial", on: 1, "offer_runs") { $0.buy(monthly, .trial) },
        TemplateRow("once-in-180-days", "at a paid introductory price", on: 31, "offer_runs") {
            $0.buy(monthly, .introductory)
            $0.renew()
        },
        TemplateRow("once-in-180-days", "with an offer code", on: 1, "offer_runs") { $0.buy(monthly, .code) },
        TemplateRow("once-in-180-days", "a win-back offer runs", on: 61, "offer_runs") {
            $0.buy(monthly)
            $0.to(10)
            $0.cancel()
            $0.expire()
            $0.to(60)
            $0.buy(monthly, .winBack)
            $0.sync()
        },
        TemplateRow("once-in-180-days", "the offer is accepted, and does not run yet", on: 21, nil) {
            $0.buy(monthly)
            $0.to(20)
            $0.redeem(.promotional())
        },
        TemplateRow("once-in-180-days", "the offer runs", on: 31, "offer_runs") {
            $0.buy(monthly)
            $0.to(20)
            $0.redeem(.promotional())
            $0.renew()
        },
        TemplateRow("once-in-180-days", "179 days later", on: 199, nil) {
            $0.buy(monthly)
            $0.to(20)
            $0.redeem(.promotional())
            $0.renew(7)
        },
        TemplateRow("once-in-180-days", "181 days later", on: 201, "half_price") {
            $0.buy(monthly)
            $0.to(20)
            $0.redeem(.promotional())
            $0.renew(7)
        },
        TemplateRow("once-in-180-days", "earlier offers may be lost", on: 61, nil) {
            $0.losing { $0.buy(monthly) }
            $0.renew(2)
        },
    ]
}
