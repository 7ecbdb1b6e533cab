import Facts
import Rules
import Support
import System

/// A small model for tests to change, with requests and facts for it.
enum RuleWorld {
    static let count = Fact.declared(0)
    static let last = Fact.declared(1)
    static let text = Fact.declared(2)
    static let now: Int64 = 1_795_219_200_000
    static let day: Int64 = 86_400_000

    /// A model with a message of each kind (text, switch, offer, advanced commerce) in en-US, and three facts.
    static var model: RulesModel {
        var model = RulesModel(appAppleId: 7, bundleId: "b", environment: .production)
        model.facts = [
            .init(name: "offersAccepted", kind: .integer), .init(name: "lastOfferAt", kind: .date),
            .init(name: "text", kind: .string),
        ]
        for (index, kind) in MessageKind.allCases.enumerated() {
            let identifier = UUID(high: 1, low: UInt64(index))
            let message = RulesModel.Message(
                name: kind.name, kind: kind, identifiers: [.init(locale: "en-US", identifier: identifier)])
            model.messages.append(message)
        }
        return model
    }

    static let offer = RulesModel.Outcome.offer(message: 2, productId: "p", offerIdentifier: "half")

    static func file(_ change: (inout RulesModel) -> Void) -> RulesFile {
        var model = model
        change(&model)
        return model.file
    }

    static func request(
        product: String = "p", transaction: String = "2000000001", signing: SigningCapabilities = .all
    ) -> DecisionRequest {
        DecisionRequest(
            appAppleId: 7, environment: .production, productId: product, userLocale: "en-US",
            originalTransactionId: transaction, nowMilliseconds: now, signing: signing)
    }

    static func facts(count: Int64? = nil, last: Int64? = nil, text: String? = nil) -> SubscriberFacts {
        let values: [FactValue?] = [
            count.map { .integer($0) }, last.map { .date($0) }, text.map { .string($0) },
        ]
        return .literal(values, ageSeconds: 60)
    }
}
