import AppStoreTraffic
import Cryptography
import SignedPayloads
import Support
import Testing
import Vocabulary

@Suite("Signed requests")
struct SignedRequestTests {
    @Test("are accepted by the service's verifier, which returns all seven members unchanged")
    func accepted() throws {
        let payload = SignedBody.payload(number: 7).with {
            $0.userLocale = "de-DE"
            $0.originalTransactionId = "1\"2\\3"
        }
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [TestPKI.anchor()],
                apps: [
                    AppIdentity(
                        appAppleId: SignedBody.appAppleId, bundleId: "com.example", environments: [.sandbox])
                ]
            )
        )
        let body = try SignedBody.make(payload)
        let request = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now)
            .payload
        #expect(request.originalTransactionId == "1\"2\\3")
        #expect(request.appAppleId == SignedBody.appAppleId)
        #expect(request.productId == SignedBody.productId)
        #expect(request.userLocale == "de-DE")
        #expect(request.requestIdentifier == payload.requestIdentifier)
        #expect(request.environment == .sandbox)
        #expect(request.signedDate == TestPKI.now)
        // The size of a real request, because the cost of verification depends on it.
        #expect((4700...5100).contains(body.count))
    }

    @Test("contain exactly the members that the caller sets, overrides and appends")
    func overrides() {
        let payload = SignedBody.payload().with {
            $0.overrides = [
                ("userLocale", nil), ("appAppleId", "\"1\""), ("extra", "[ 1 ]"), ("productId", "{"),
            ]
            $0.appended = [("signedDate", "1")]
        }
        let text = String(decoding: payload.json, as: UTF8.self)
        #expect(
            text == """
                {"originalTransactionId":"99371282","appAppleId":"1","productId":{,\
                "requestIdentifier":"3db5c98d-8acf-4e29-831e-000000000001","environment":"Sandbox",\
                "signedDate":1780315200000,"extra":[ 1 ],"signedDate":1}
                """
        )
    }

    @Test("have Apple's header or another header that the caller chooses")
    func header() {
        let text = SignedRequestBuilder.header(x5c: ["AA==", "BB/+"])
        #expect(String(decoding: text, as: UTF8.self) == #"{"alg":"ES256","x5c":["AA==","BB/+"]}"#)
        let other = SignedRequestBuilder.header(x5c: [], algorithm: "none", appended: [#""crit":[]"#])
        #expect(String(decoding: other, as: UTF8.self) == #"{"alg":"none","x5c":[],"crit":[]}"#)
    }
}
