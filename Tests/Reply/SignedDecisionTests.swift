import Reply
import Rules
import Support
import System
import Testing

@Suite("Decisions with their signatures")
struct SignedDecisionTests {
    enum Served: Sendable {
        case text
        case offer
        case advancedCommerce
        case damaged
        case ambiguous
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let rules: [Served]
        let signer: SigningCapabilities?
        let rule: Int?
        let signFailed: UInt32
        let code: String?
        let signing: SigningCapabilities
        var testDescription: String { "\(rules) by \(signer.map { "\($0.rawValue)" } ?? "nobody")" }
    }

    static let rows: [Row] = [
        Row(rules: [.offer], signer: .all, rule: 0, signFailed: 0, code: nil, signing: .all),
        Row(rules: [.offer], signer: .offers, rule: 0, signFailed: 0, code: nil, signing: .offers),
        Row(rules: [.text], signer: nil, rule: 0, signFailed: 0, code: nil, signing: []),
        Row(rules: [.advancedCommerce], signer: .all, rule: 0, signFailed: 0, code: nil, signing: .all),
        // Outcomes that the signer cannot sign are skipped.
        Row(rules: [.offer, .text], signer: nil, rule: 1, signFailed: 1, code: nil, signing: []),
        Row(
            rules: [.offer, .advancedCommerce, .offer], signer: nil, rule: nil, signFailed: 3, code: nil,
            signing: []),
        Row(
            rules: [.advancedCommerce, .offer], signer: .offers, rule: 1, signFailed: 1, code: nil,
            signing: .offers),
        Row(rules: [.advancedCommerce], signer: [], rule: nil, signFailed: 1, code: nil, signing: []),
        // An outcome whose signing fails is skipped too, with all outcomes of its kind.
        Row(
            rules: [.damaged, .text], signer: .all, rule: 1, signFailed: 1,
            code: "offer-signing.template-invalid", signing: .offers),
        Row(
            rules: [.damaged, .advancedCommerce, .offer], signer: .all, rule: 2, signFailed: 2,
            code: "offer-signing.template-invalid", signing: .offers),
        Row(
            rules: [.damaged, .damaged, .damaged], signer: .all, rule: nil, signFailed: 3,
            code: "offer-signing.template-invalid", signing: .offers),
        // Rules after the rule that serves have no effect.
        Row(rules: [.offer, .damaged], signer: .all, rule: 0, signFailed: 0, code: nil, signing: .all),
    ]

    private static func file(_ rules: [Served], inArms: Bool = false) throws -> RulesFile {
        var model = RulesModel(appAppleId: 7, bundleId: "com.example.app", environment: .production)
        model.messages = MessageKind.allCases.enumerated().map { index, kind in
            let identifier = UUID(high: 1, low: UInt64(index))
            return .init(
                name: kind.name, kind: kind, identifiers: [.init(locale: "en-US", identifier: identifier)])
        }
        func message(_ kind: MessageKind) -> Int { MessageKind.allCases.firstIndex(of: kind) ?? 0 }
        model.rules = rules.enumerated().map { index, served in
            let outcome: RulesModel.Outcome =
                switch served {
                case .text: .message(message(.text))
                case .offer: .offer(message: message(.offer), productId: "p", offerIdentifier: "o\(index)")
                case .ambiguous:
                    .offer(message: message(.offer), productId: "p\u{2063}q", offerIdentifier: "o")
                case .advancedCommerce:
                    .advancedCommerce(
                        message: message(.advancedCommerce), request: "{\"retainBillingCycle\":true}")
                case .damaged: .advancedCommerce(message: message(.advancedCommerce), request: "[1,")
                }
            let arm = RulesModel.Arm(name: "a", weight: 10_000, outcome: outcome)
            let choice: RulesModel.Choice =
                inArms ? .variants(.init(salt: "s\(index)", arms: [arm])) : .outcome(outcome)
            return RulesModel.Rule(id: "r\(index)", choice: choice)
        }
        model.defaultOutcome = .message(message(.text))
        return model.file
    }

    private static func request(signing: SigningCapabilities = []) -> DecisionRequest {
        DecisionRequest(
            appAppleId: 7, environment: .production, productId: "p", userLocale: "en-US",
            originalTransactionId: "2000000001", nowMilliseconds: SignerWorld.now, signing: signing)
    }

    @Test("skip outcomes that cannot be signed, and report the failure", arguments: rows)
    func skipping(row: Row) throws {
        let world = try SignerWorld()
        let signer = try row.signer.map { try world.signer(signing: $0) }
        let file = try Self.file(row.rules)
        // The claims of the request about the signer have no effect.
        for claimed in [SigningCapabilities.all, []] {
            let signed = decideAndSign(
                Self.request(signing: claimed), facts: .none(ageSeconds: nil), using: file, signer: signer)
            #expect(signed.decision.ruleIndex == row.rule)
            #expect(signed.decision.skipped.signFailed == row.signFailed)
            #expect(signed.failure?.code == row.code)
            #expect(signed.signing == row.signing)
            // The decision is the same as if these capabilities had been known before.
            let known = decide(Self.request(signing: row.signing), facts: .none(ageSeconds: nil), using: file)
            #expect(signed.decision == known)
            let served = row.rule.map { row.rules[$0] } ?? .text
            switch (served, signed.outcome?.content) {
            case (.text, .message?), (.offer, .offer(_, .v2)?), (.advancedCommerce, .advancedCommerce?): break
            default: Issue.record("\(served) with \(String(describing: signed.outcome))")
            }
        }
    }

    @Test("keep the draws for the subscriber when they are made again")
    func assigned() throws {
        let file = try Self.file([.damaged, .damaged, .text], inArms: true)
        let signed = decideAndSign(
            Self.request(), facts: .none(ageSeconds: nil), using: file, signer: try SignerWorld().signer)
        #expect(signed.failure != nil && signed.decision.ruleIndex == 2)
        #expect(
            signed.decision.assigned.map { "\($0.ruleIndex) \($0.armIndex ?? -1) \($0.step)" }
                == ["0 0 signing", "1 0 signing"]
        )
    }

    @Test("skip an offer whose V1 signature could also belong to another offer")
    func ambiguous() throws {
        let world = try SignerWorld(form: .v1)
        let signed = decideAndSign(
            Self.request(), facts: .none(ageSeconds: nil), using: try Self.file([.ambiguous, .text]),
            signer: try world.signer)
        #expect(signed.decision.ruleIndex == 1 && signed.decision.skipped.signFailed == 1)
        #expect(signed.failure == .badIdentifier && signed.outcome?.content == .message)
    }

    @Test("sign the rule's own offer for the subscriber, in the app's form")
    func content() throws {
        let file = try Self.file([.offer])
        let world = try SignerWorld()
        let v2 = decideAndSign(
            Self.request(), facts: .none(ageSeconds: nil), using: file, signer: try world.signer)
        guard case .offer(let offer, .v2(let token))? = v2.outcome?.content else {
            Issue.record("no V2 signature")
            return
        }
        let claims = try world.opened(token).claims.texts
        #expect(claims["transactionId"] == "\"2000000001\"")
        #expect(claims["productId"] == "\"p\"" && claims["offerIdentifier"] == "\"o0\"")
        #expect(claims["iat"] == "1780920000")
        let first = try SignerWorld(form: .v1)
        let v1 = decideAndSign(
            Self.request(), facts: .none(ageSeconds: nil), using: file, signer: try first.signer)
        guard case .offer(offer, .v1(let fields))? = v1.outcome?.content else {
            Issue.record("no V1 signature")
            return
        }
        #expect(offer == PromotionalOffer(productId: "p", offerIdentifier: "o0") && fields.offer == offer)
        #expect(fields.timestamp == SignerWorld.now && fields.appAccountToken == nil)
        #expect(fields.keyId == SignerWorld.keyId)
    }

    @Test("have placeholders for signatures when they are only shown")
    func placeholders() throws {
        func placeholder(_ served: Served, _ form: OfferSignature) throws -> SignedOutcome.Content? {
            let file = try Self.file([served])
            let request = Self.request(signing: .all)
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            return SignedOutcome.placeholder(for: decision.outcome, in: file, answering: request, form: form)?
                .content
        }
        #expect(try placeholder(.text, .v2) == .message)
        let words = "<promotionalOfferSignatureV2 made for each request>"
        let offer = PromotionalOffer(productId: "p", offerIdentifier: "o0")
        #expect(try placeholder(.offer, .v2) == .offer(offer, .v2(words)))
        #expect(
            try placeholder(.advancedCommerce, .v2)
                == .advancedCommerce("<advancedCommerceData made for each request>")
        )
        let fields = PromotionalOfferSignatureV1(
            encodedSignature: "<encodedSignature made for each request>", offer: offer,
            nonce: UUID(high: 0, low: 0), timestamp: SignerWorld.now, keyId: "<keyId of the key that signs>")
        #expect(try placeholder(.offer, .v1) == .offer(offer, .v1(fields)))
    }
}
