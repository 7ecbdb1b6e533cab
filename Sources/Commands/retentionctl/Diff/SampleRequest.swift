internal import DataFiles
internal import Decisions
internal import Vocabulary

/// A request of a sample: a request as such, or the request behind a record of the decision log.
struct SampleRequest {
    /// The number of its line in the sample, counted from 1.
    let line: Int
    let productId: String
    let userLocale: String
    /// The subscriber. A record of the decision log has a pseudonym instead of a transaction identifier.
    var subscriber: Subscriber
    /// The time of the request, in milliseconds since 1970; nil when the sample does not say it.
    let nowMilliseconds: Int64?
    /// The app and the environment; nil when the sample does not say them.
    let appAppleId: Int64?
    let environment: Environment?
    /// The facts in the sample, for the old and for the new rules; nil when the sample has none.
    let facts: (old: [FactValue?], new: [FactValue?])?
    let factsAgeSeconds: Int64?
    /// The decision of the service; nil when the request is not a record of the decision log.
    let logged: Logged?

    enum Subscriber: Hashable {
        case originalTransactionId(String)
        case pseudonym(String)

        /// The text from which the buckets are computed for this subscriber.
        var unit: String {
            switch self {
            case .originalTransactionId(let text), .pseudonym(let text): text
            }
        }
    }

    /// The decision as the decision log has it.
    struct Logged {
        let rule: String?
        let arm: String?
        let reason: String

        /// Returns true when the decision is the same as the logged one.
        func isSame(as verdict: NamedDecision) -> Bool {
            rule == verdict.rule && arm == verdict.arm && reason == verdict.reason.rawValue
        }
    }

    /// Returns the request as text: `pro_monthly en-US 2000000001 at 2026-11-21T00:00:00Z`. `now` is the time for a
    /// request without one.
    func text(atMilliseconds now: Int64) -> String {
        "\(productId) \(userLocale) \(subscriber.unit) at \(FactText.date(nowMilliseconds ?? now))"
    }
}
