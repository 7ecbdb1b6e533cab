internal import DataFiles
internal import Decisions
internal import Vocabulary

/// A request of a sample: what was asked, or what the decision log says was asked.
struct SampleRequest {
    /// Its line in the sample, from 1.
    let line: Int
    let productId: String
    let userLocale: String
    /// The subscriber; of a record of the decision log the pseudonym that stands for one.
    var subscriber: Subscriber
    /// When; nil when the sample does not say.
    let nowMilliseconds: Int64?
    /// The app and environment; nil when the sample does not say.
    let appAppleId: Int64?
    let environment: Environment?
    /// The facts as the sample has them, for the old and for the new rules; nil when it has none.
    let facts: (old: [FactValue?], new: [FactValue?])?
    let factsAgeSeconds: Int64?
    /// What the service decided, by the decision log.
    let logged: Logged?

    /// Who asks.
    enum Subscriber: Hashable {
        case originalTransactionId(String)
        case pseudonym(String)

        /// What stands for the subscriber where buckets are computed.
        var unit: String {
            switch self {
            case .originalTransactionId(let text), .pseudonym(let text): text
            }
        }
    }

    /// What the decision log says of the decision.
    struct Logged {
        let rule: String?
        let arm: String?
        let reason: String

        /// Whether a decision is the one that was logged.
        func isSame(as verdict: Verdict) -> Bool {
            rule == verdict.rule && arm == verdict.arm && reason == verdict.reason.rawValue
        }
    }

    /// `pro_monthly en-US 2000000001 at 2026-11-21T00:00:00Z`
    func text(atMilliseconds now: Int64) -> String {
        "\(productId) \(userLocale) \(subscriber.unit) at \(FactText.date(nowMilliseconds ?? now))"
    }
}
