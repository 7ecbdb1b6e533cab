import DataFileWriting
import DataFiles
import Decisions
import FastCGI
import Support
import System
import Telemetry
import Testing
import Vocabulary

@testable import Endpoints

@Suite("Answers that have to be signed")
struct SigningTests {
    private static let keys =
        #", "signingKeys": [{"keyId": "K", "issuerId": "i", "file": "FOLDER/key.p8"}], "#
        + #""advancedCommerce": "signatureInfo""#

    /// Rules with these outcomes, in this order, and with a text message as the default.
    private static func rules(_ outcomes: [RulesModel.Outcome]) throws -> [UInt8] {
        var model = RulesModel(appAppleId: 531_412, bundleId: "com.example.app", environment: .sandbox)
        model.lastLocale = "en-US"
        let kinds: [MessageKind] = [.text, .offer, .advancedCommerce]
        model.messages = kinds.enumerated().map { index, kind in
            let identifier = UUID(high: 0x551e_e7c0_c097_418e, low: 0x9dd5_0000_0000_0000 | UInt64(index))
            return .init(
                name: "m\(index)", kind: kind, identifiers: [.init(locale: "en-US", identifier: identifier)])
        }
        model.rules = outcomes.enumerated().map { .init(id: "r\($0)", outcome: $1) }
        model.defaultOutcome = .message(0)
        return model.pushed
    }

    private static let offer = RulesModel.Outcome.offer(message: 1, productId: "p", offerIdentifier: "o")

    @Test("are not signed when hardly any time is left")
    func deadline() throws {
        let world = try EndpointWorld(
            app: Self.keys, rules: nil, files: [("app.rules.json", try Self.rules([Self.offer]))])
        let now = Clock.monotonicNanoseconds()
        func signs(_ deadline: UInt64) -> Bool {
            let app = SignedBody.appAppleId
            return world.handler.signer(appAppleId: app, atNanoseconds: now, deadlineNanoseconds: deadline)
                != nil
        }
        #expect(signs(now + 60_000_000_000))
        #expect(signs(now + 5_000_000))
        #expect(!signs(now + 4_999_999))
        #expect(!signs(now))
        let late = now + 60_000_000_000
        #expect(world.handler.signer(appAppleId: 1, atNanoseconds: now, deadlineNanoseconds: late) == nil)
    }

    @Test("are passed over when there is no key, and each rule is counted")
    func missing() throws {
        let world = try EndpointWorld(
            rules: nil, files: [("app.rules.json", try Self.rules([Self.offer, Self.offer]))])
        let response = world.answer(world.parameters(), try world.body())
        #expect(String(decoding: response.body, as: UTF8.self).contains(#""message""#))
        world.handler.turnEnded(FastCGICounts())
        #expect(world.counters.value(.rulesSignFailed) == 2)
    }
}
