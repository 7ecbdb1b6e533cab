import Authoring
import Cryptography
import JSON
@testable import Reply
import Rules
import Support
import Testing

@Suite("Signed requests of the Advanced Commerce API")
struct AdvancedCommerceTests {
    private static let template = """
        {"requestInfo":{"appAccountToken":"23a91ca7-06f3-425f-bff6-820904b510a9"},"retainBillingCycle":true,\
        "changeItems":[{"currentSKU":"LARGE","SKU":"SMALL","displayName":"Klein","description":"Zwei Kanäle",\
        "price":4990,"effective":"NEXT_BILL_CYCLE","reason":"DOWNGRADE"}]}
        """

    private static func request(_ template: String) throws -> JSONValue {
        let world = try SignerWorld()
        let data = Array(
            try world.signer.advancedCommerceData(template: template, on: SignerWorld.context).utf8
        )
        let decoded = Base64.decode(data.span)
        let root = try SignerWorld.json(try #require(decoded))
        #expect(root.members.map(\.name) == ["signatureInfo"])
        let info = try #require(root.member("signatureInfo"))
        #expect(info.members.map(\.name) == ["token"])
        let (header, claims) = try world.opened(try #require(info.member("token")?.string))
        #expect(header.texts == ["alg": "\"ES256\"", "kid": "\"2X9R4HXF34\"", "typ": "\"JWT\""])
        var texts = claims.texts
        let request = try #require(claims.member("request")?.string)
        #expect(texts.removeValue(forKey: "request") != nil)
        #expect(
            texts == [
                "iss": "\"57246542-96fe-1a63-e053-0824d011072a\"", "iat": "1780920000",
                "aud": "\"advanced-commerce-api\"", "bid": "\"com.example.app\"",
                "nonce": "\"6584bedf-2ed0-4c01-93ed-c0c64a1670cc\"",
            ]
        )
        let encoded = Array(request.utf8)
        let json = Base64.decode(encoded.span)
        return try SignerWorld.json(try #require(json))
    }

    @Test("are wrapped in Apple's envelope: base64 of a JSON object with the token")
    func envelope() {
        let data = AdvancedCommerceRequest.data(around: "a.b.c")
        #expect(data == "eyJzaWduYXR1cmVJbmZvIjp7InRva2VuIjoiYS5iLmMifX0=")
    }

    @Test("have the template's members, and members that are known only when they are signed")
    func members() throws {
        let request = try Self.request(Self.template)
        let template = try SignerWorld.json(Array(Self.template.utf8))
        var expected = template.texts
        expected["operation"] = "\"MODIFY_SUBSCRIPTION\""
        expected["version"] = "\"1\""
        expected["transactionId"] = "\"2000000001\""
        expected["requestInfo"] = """
            {"requestReferenceId":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc",\
            "appAccountToken":"23a91ca7-06f3-425f-bff6-820904b510a9"}
            """
        #expect(request.texts == expected)
        #expect(request.members.count == expected.count)
    }

    @Test(
        "set their own members, whatever the template says about them",
        arguments: [
            #"{"operation":"CANCEL","version":"9","transactionId":"1","retainBillingCycle":true}"#,
            #"{"retainBillingCycle":true,"requestInfo":{"requestReferenceId":"x"}}"#,
            #"{"retainBillingCycle":true,"requestInfo":"x"}"#,
            #"{"retainBillingCycle":true,"requestInfo":null}"#,
            #"{"retainBillingCycle":true,"requestInfo":["requestReferenceId"]}"#,
            #"{"transactionId":{"a":1},"operation":null,"retainBillingCycle":true}"#,
        ]
    )
    func ownMembers(template: String) throws {
        #expect(
            try Self.request(template).texts == [
                "operation": "\"MODIFY_SUBSCRIPTION\"", "version": "\"1\"", "retainBillingCycle": "true",
                "requestInfo": #"{"requestReferenceId":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc"}"#,
                "transactionId": "\"2000000001\"",
            ]
        )
    }

    @Test("are made from every template that compiles: the example, and the longest template")
    func compiled() throws {
        let path = SourceFile.root + "/examples/rules/advanced-commerce.json"
        let source = String(decoding: try SourceFile.read(path), as: UTF8.self)
        // In JSON, a control character takes six bytes.
        let control = String(repeating: "\\u0001", count: (RulesSourceLimits.requestByteCount - 1000) / 6)
        let info = "\"currency\": \"EUR\", \"storefront\": \"DEU\", \"taxCode\": \"\(control)\""
        let key = "\"retainBillingCycle\": true"
        #expect(source.contains(key) && !source.contains("taxCode"))
        for text in [source, source.replacing(key, with: "\(key), \(info)")] {
            let model = try RulesCompiler.model(of: Array(text.utf8))
            guard case .outcome(.advancedCommerce(_, let template))? = model.rules.first?.choice else {
                Issue.record("no template")
                return
            }
            #expect(try Self.request(template).member("changeItems")?.count == 1)
        }
    }

    @Test(
        "are not made from a template that is not a JSON object within the limits",
        arguments: [
            "", "x", "[]", "null", "1", "\"{}\"", "{", "{}{}", #"{"a":1,"a":2}"#,
            #"{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}"#,
            #"{"a":"\#(String(repeating: "x", count: 16 << 10))"}"#,
        ]
    )
    func refused(template: String) throws {
        let world = try SignerWorld()
        let error = #expect(throws: OfferSigningError.self) {
            _ = try world.signer.advancedCommerceData(template: template, on: SignerWorld.context)
        }
        #expect(error?.code == "offer-signing.template-invalid")
    }
}
