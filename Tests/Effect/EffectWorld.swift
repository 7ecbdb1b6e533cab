import Cryptography
@testable import Effect
import Facts
@testable import Lives
import NotificationStore
import Rules
import Support
import System

/// Subscribers whose lives are known, and their requests to two hosts.
struct EffectWorld {
    struct Request {
        let subscriber: Int
        let at: Int64
        let product: String
        let host: Int
    }

    static let appAppleId: Int64 = 531_412
    /// The rules file of the first days, and the one with other shares.
    static let files = [
        rules(holdout: 2_000, rollout: 5_000, weights: [4_000, 3_000, 3_000]).file,
        rules(holdout: 1_000, rollout: 8_000, weights: [5_000, 2_500, 2_500]).file,
    ]
    static let changedAt = Life.time(150)
    static let key = IdentifierKey(text: Array(String(repeating: "5a", count: 32).utf8)) ?? .make()

    let lives: [World]
    let requests: [Request]
    private(set) var deliveries: [Delivery] = []

    static func id(_ subscriber: Int) -> String { "1000\(1_000_000 + subscriber)" }

    init(subscribers count: Int, _ generator: inout SeededGenerator) throws {
        let kinds = World.Kind.allCases
        lives = (0..<count).map { World(.nothing, kinds[$0 % kinds.count], generator.next()) }
        var requests: [Request] = []
        for (subscriber, life) in lives.enumerated() {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let end = max(Life.birth + 1, life.life.now)
                // Most within a year, where the rules change.
                let last = Bool.random(using: &generator) ? min(end, Life.time(300)) : end
                let at = Int64.random(in: Life.birth...last, using: &generator)
                guard let running = life.truth.running(at), at < running.end(at) else { continue }
                requests.append(
                    Request(
                        subscriber: subscriber, at: at, product: running.plan.product,
                        host: Int.random(in: 0...1, using: &generator)))
            }
        }
        self.requests = requests.sorted { $0.at < $1.at }
        let desk = try DeliveryDesk()
        for (subscriber, life) in lives.enumerated() {
            deliveries += desk.deliveries(of: life.life.payloads, suffix: "\(1_000_000 + subscriber)")
        }
    }

    /// Subscribers of whom no notification came, with one request each in the first days.
    init(strangers count: Int, within days: Double, _ generator: inout SeededGenerator) {
        lives = []
        requests = (0..<count).map { subscriber in
            Request(
                subscriber: subscriber, at: Int64.random(in: Life.birth...Life.time(days), using: &generator),
                product: ["monthly", "basic"][subscriber % 2], host: subscriber / 2 % 2)
        }.sorted { $0.at < $1.at }
    }

    /// Rules with a holdout, a rollout of some products, and arms of which two cannot be served.
    static func rules(holdout: Int, rollout: Int, weights: [Int], salt: String = "") -> RulesModel {
        var model = RulesModel(
            appAppleId: appAppleId, bundleId: DeliveryDesk.app, environment: .production)
        model.facts = [.init(name: "offersAccepted", kind: .integer)]
        let kinds: [MessageKind] = [.text, .switch, .text, .offer]
        for (number, kind) in kinds.enumerated() {
            let identifier = UUID(high: 1, low: UInt64(number))
            model.messages.append(
                .init(
                    name: "m\(number)", kind: kind,
                    identifiers: [
                        .init(
                            locale: "en-US", identifier: identifier, unapproved: number == 2 ? .pending : nil)
                    ]))
        }
        model.holdout = .init(split: .init(salt: "holdout\(salt)", basisPoints: holdout))
        model.caps = .init(maxAccepted: 1, acceptedFact: .declared(0))
        var first = RulesModel.Rule(id: "some", outcome: .message(0))
        first.condition = .isIn(.productId, ["monthly", "team", "year"].map { .string($0) })
        first.rollout = .init(salt: "some\(salt)", basisPoints: rollout)
        let outcomes: [RulesModel.Outcome] = [
            .switch(message: 1, productId: "basic", billingPlanType: nil), .message(2),
            .offer(message: 3, productId: "monthly", offerIdentifier: "half"),
        ]
        let arms = zip(zip(armNames, weights), outcomes).map {
            RulesModel.Arm(name: $0.0, weight: $0.1, outcome: $1)
        }
        model.rules = [
            first, .init(id: "others", choice: .variants(.init(salt: "others\(salt)", arms: arms))),
        ]
        return model
    }

    static let armNames = ["switch", "unapproved", "capped"]

    func decision(_ request: Request, by file: RulesFile) -> Decision {
        decide(
            DecisionRequest(
                appAppleId: Self.appAppleId, environment: .production, productId: request.product,
                userLocale: "en-US", originalTransactionId: Self.id(request.subscriber),
                nowMilliseconds: request.at, signing: .all),
            facts: .none(ageSeconds: nil), using: file)
    }
}
