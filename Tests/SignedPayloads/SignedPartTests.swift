import AppStoreSimulator
import CertificateAuthority
import SignedPayloads
import Support
import System
import Testing

@Suite("A signed part by itself")
struct SignedPartTests {
    @Test("is accepted for its owner, and rebuilt byte for byte")
    func accepted() throws {
        let forge = try NotificationZooTests.forge.get()
        let verifier = try forge.verifier()
        let owner = try verifier.owner(appAppleId: TestPayload.appAppleId, environment: .production)
        #expect(owner.bundleId == TestPayload.bundleId)
        // Apple's API returns what was signed long ago.
        let now = forge.now + 2000 * ZooForge.day
        let sample = forge.subscription
        let transaction = Array(try forge.part(sample.transaction(signedDate: forge.now)).utf8)
        let verified = try verifier.verifyTransaction(
            compact: transaction.span, of: owner, nowMilliseconds: now)
        #expect(verified.payload.content.transactionId == "2000000001")
        #expect(verified.payload.received.compact == transaction)
        let renewal = Array(try forge.part(sample.renewalInfo(signedDate: forge.now)).utf8)
        let info = try verifier.verifyRenewalInfo(compact: renewal.span, of: owner, nowMilliseconds: now)
        #expect(info.payload.content.autoRenewStatus == 1 && info.chainWasCached)
        #expect(info.payload.received.compact == renewal)
        let download = Array(try forge.part(sample.appTransaction(signedDate: forge.now)).utf8)
        let app = try verifier.verifyAppTransaction(compact: download.span, of: owner, nowMilliseconds: now)
        #expect(
            app.payload.content.receiptType == "Production" && app.payload.content.originalPlatform == "iOS"
        )
        #expect(app.payload.received.compact == download)
    }

    @Test("is refused for another owner")
    func otherOwner() throws {
        let forge = try NotificationZooTests.forge.get()
        let verifier = try forge.verifier()
        let text = Array(try forge.part(forge.subscription.transaction(signedDate: forge.now)).utf8)
        func refusal(_ app: Int64, _ environment: Environment) throws -> Refusal? {
            do throws(VerificationError) {
                let owner = try verifier.owner(appAppleId: app, environment: environment)
                _ = try verifier.verifyTransaction(compact: text.span, of: owner, nowMilliseconds: forge.now)
                return nil
            } catch {
                return error.refusal
            }
        }
        #expect(try refusal(TestPayload.appAppleId, .production) == nil)
        #expect(try refusal(TestPayload.appAppleId, .sandbox) == .environmentDiffers)
        #expect(try refusal(TestPayload.appAppleId, .xcode) == .environmentNotConfigured)
        #expect(try refusal(TestPayload.strictAppAppleId, .sandbox) == .environmentNotConfigured)
        #expect(try refusal(TestPayload.strictAppAppleId, .production) == .appDiffers)
        #expect(try refusal(TestPayload.foreignAppAppleId, .production) == .appUnknown)
    }
}

@Suite("The owner of a notification")
struct NotificationOwnerTests {
    private static let bundle = "com.example.app"

    private struct Case: CustomTestStringConvertible {
        let environment: String
        let number: Int64?
        let isForeign: Bool
        let owner: Int64?
        let refusal: Refusal?

        init(_ environment: String, _ number: Int64?, isForeign: Bool = false, _ owner: Int64?) {
            (self.environment, self.number, self.isForeign) = (environment, number, isForeign)
            self.owner = owner
            refusal = nil
        }

        init(_ environment: String, _ number: Int64?, isForeign: Bool = false, refused refusal: Refusal) {
            (self.environment, self.number, self.isForeign) = (environment, number, isForeign)
            owner = nil
            self.refusal = refusal
        }

        var testDescription: String { "\(environment) \(number.map { "\($0)" } ?? "-") \(isForeign)" }
    }

    /// Three apps share a bundle identifier: 1 and 2 have Production and Sandbox, 3 is for tests under its own anchor.
    @Test(
        "is found among apps of one bundle identifier",
        arguments: [
            Case("Production", 1, 1), Case("Production", 2, 2),
            Case("Production", 3, refused: .anchorNotForApp),
            Case("Production", 4, refused: .appUnknown), Case("Production", nil, refused: .appUnknown),
            Case("Sandbox", nil, 1), Case("Sandbox", 2, 2), Case("Sandbox", 9, 1),
            Case("LocalTesting", nil, refused: .environmentNotConfigured),
            Case("LocalTesting", nil, isForeign: true, 3), Case("LocalTesting", 1, isForeign: true, 3),
            Case("Sandbox", nil, isForeign: true, refused: .environmentNotConfigured),
            Case("Production", 1, isForeign: true, refused: .anchorNotForApp),
        ]
    )
    private func shared(testCase: Case) throws {
        let foreign = try TestPKI.foreignChain()
        let foreignAnchor = try foreign.root.certificate()
        let verifier = try PolicyCase.verifier { policy in
            policy.apps = [1, 2].map { number in
                AppIdentity(appAppleId: number, bundleId: Self.bundle, environments: [.production, .sandbox])
            }
            policy.apps.append(
                AppIdentity(
                    appAppleId: 3, bundleId: Self.bundle, environments: [.localTesting],
                    anchors: [foreignAnchor])
            )
        }
        var sample = SubscriptionSample(
            appAppleId: 1, bundleId: Self.bundle, environment: .production, purchaseDate: TestPKI.now)
        sample.environment = testCase.environment
        let kind = try #require(NotificationKind("TEST"))
        var payload = NotificationPayload(
            kind, of: sample, uuid: UUID(high: 1, low: 2), signedDate: TestPKI.now)
        payload.object.set("appAppleId", number: testCase.number)
        let chain = testCase.isForeign ? foreign : try TestPKI.chain()
        let body = try SignedRequestBuilder(chain: chain).body(payload)
        do throws(VerificationError) {
            let verified = try verifier.verifyNotification(body: body.span, nowMilliseconds: TestPKI.now)
            #expect(verified.payload.owner.appAppleId == testCase.owner)
            #expect(verified.payload.owner.environment.rawValue == testCase.environment)
        } catch {
            #expect(error.refusal == testCase.refusal)
        }
    }

    @Test("that is not configured is named in the error, without characters that a terminal acts on")
    func detail() throws {
        let forge = try NotificationZooTests.forge.get()
        let body = try forge.notification { $0.object.set("bundleId", text: "com.evil\u{1b}[2J\n") }
        let error = #expect(throws: VerificationError.self) {
            try forge.verifier().verifyNotification(body: body.span, nowMilliseconds: forge.now)
        }
        #expect(error?.detail?.description == #"bundleId com.evil\u{1b}[2J\u{a}"#)
    }
}
