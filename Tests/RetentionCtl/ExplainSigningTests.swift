import JSON
import Support
import Testing

@Suite("The signature that retentionctl explain shows")
struct ExplainSigningTests {
    private static let offer = #"{"offer": "offer", "productId": "p", "offerIdentifier": "half"}"#
    private static let bundle = """
        {"advancedCommerce": "bundle", "request": {"retainBillingCycle": true, "changeItems": [{"SKU": "s",
         "currentSKU": "l", "displayName": "n", "description": "d", "price": 4990, "effective": "IMMEDIATELY",
         "reason": "DOWNGRADE"}]}}
        """

    private static func explain(_ serve: String, _ arguments: [String]) throws -> [String] {
        let rules = ["rules": "[{\"id\": \"r\", \"serve\": \(serve)}]"]
        let run = try SmallRules.explain(rules, ["--subscriber", "2000000001"] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    private static let text =
        #"answer: 200 {"message":{"messageIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390"}}"#
    private static let offerHead =
        #"answer: 200 {"promotionalOffer":{"messageIdentifier":"80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc","#
    private static let bundleHead =
        #"answer: 200 {"advancedCommerceInfo":{"messageIdentifier":"9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11","#
    private static let placeholder = "signature: a placeholder; --key shows a real one"

    @Test("is a placeholder without a key, and explain says so")
    func placeholders() throws {
        let v2 = try Self.explain(Self.offer, [])
        #expect(
            v2.suffix(2) == [
                Self.placeholder,
                Self.offerHead
                    + #""promotionalOfferSignatureV2":"<promotionalOfferSignatureV2 made for each request>"}}"#,
            ]
        )
        #expect(v2.contains("  signing: offer"))
        let v1 = try Self.explain(Self.offer, ["--offer-signature", "v1"])
        let fields = """
            "promotionalOfferSignatureV1":{"encodedSignature":"<encodedSignature made for each request>",\
            "productId":"p","nonce":"00000000-0000-0000-0000-000000000000","timestamp":1795219200000,\
            "keyId":"<keyId of the key that signs>","offerIdentifier":"half"}}}
            """
        #expect(v1.suffix(2) == [Self.placeholder, Self.offerHead + fields])
        let bundle = try Self.explain(Self.bundle, [])
        let data = #""advancedCommerceData":"<advancedCommerceData made for each request>"}}"#
        #expect(bundle.suffix(2) == [Self.placeholder, Self.bundleHead + data])
        // A text message needs no signature.
        let text = try Self.explain(#"{"message": "text"}"#, [])
        #expect(text.last == Self.text && !text.contains { $0.hasPrefix("signature:") })
    }

    @Test("is missing when the service cannot sign: the next rule, here the default, decides")
    func impossible() throws {
        for arguments in [
            ["--no-key"], ["--no-key", "--advanced-commerce", "signatureInfo"],
        ] {
            let lines = try Self.explain(Self.offer, arguments)
            #expect(lines.contains("  signing: offer: impossible"))
            #expect(lines.last == Self.text)
            #expect(try Self.explain(Self.bundle, arguments).last == Self.text)
        }
        let lines = try Self.explain(Self.bundle, ["--advanced-commerce", "off"])
        #expect(lines.contains("  signing: advancedCommerce: impossible") && lines.last == Self.text)
    }

    @Test("is real with a key, and verifies", arguments: ["v1", "v2"])
    func real(form: String) throws {
        let keys = try KeyFolder()
        let key = [
            "--key", keys.key, "--key-id", "2X9R4HXF34", "--issuer-id", "i", "--offer-signature",
            form,
        ]
        for (serve, head) in [(Self.offer, Self.offerHead), (Self.bundle, Self.bundleHead)] {
            let lines = try Self.explain(serve, key)
            #expect(lines.dropLast().last?.hasPrefix("signature: real") == true)
            let answer = try #require(lines.last)
            #expect(answer.hasPrefix(head))
            let app = ["--bundle-id", "com.example.app"]
            let run = try keys.verified(
                String(answer.dropFirst("answer: 200 ".count)), by: keys.publicKey, app)
            #expect(run.status == 0, "\(run.output)")
            let claims = try Tool.document(run).root.member("claims")
            switch (serve == Self.offer, form) {
            case (true, "v1"):
                #expect(claims?.member("timestamp")?.int64 == 1_795_219_200_000)
                #expect(claims?.member("offerIdentifier")?.string == "half")
            case (true, _):
                #expect(claims?.member("transactionId")?.string == "2000000001")
                #expect(claims?.member("iat")?.int64 == 1_795_219_200)
                #expect(claims?.member("bid")?.string == "com.example.app")
            default:
                let request = try Tool.document(run).root.member("request")
                #expect(request?.member("transactionId")?.string == "2000000001")
                #expect(request?.member("operation")?.string == "MODIFY_SUBSCRIPTION")
            }
        }
    }

    @Test("is called placeholder or real in JSON")
    func json() throws {
        let keys = try KeyFolder()
        let key = ["--key", keys.key, "--key-id", "k", "--issuer-id", "i"]
        for (serve, arguments, name) in [
            (Self.offer, [], "placeholder"), (Self.offer, key, "real"),
            (Self.offer, ["--no-key"], nil), (#"{"message": "text"}"#, key, nil),
        ] as [(String, [String], String?)] {
            let rules = ["rules": "[{\"id\": \"r\", \"serve\": \(serve)}]"]
            let root = try Tool.document(try SmallRules.explain(rules, ["--json"] + arguments)).root
            #expect(root.member("signature")?.string == name)
        }
    }

    @Test(
        "needs all its options, with valid values",
        arguments: [
            (["--key", "k"], 64), (["--key-id", "k"], 64), (["--issuer-id", "i"], 64),
            (["--key", "k", "--key-id", "k", "--issuer-id", "i", "--no-key"], 64),
            (["--key", "k", "--key-id", "k"], 64),
            (["--offer-signature", "v1", "--issuer-id", "i"], 64),
            (["--key", "/nonexistent", "--key-id", "k", "--offer-signature", "v1"], 65),
            (
                [
                    "--key", "/nonexistent", "--key-id", "k", "--offer-signature", "v1",
                    "--advanced-commerce", "signatureInfo",
                ], 64
            ),
            (["--key", "/nonexistent", "--key-id", "", "--issuer-id", "i"], 64),
            (["--key", "/nonexistent", "--key-id", "a_b", "--issuer-id", "i"], 64),
            (["--key", "/nonexistent", "--key-id", "k", "--issuer-id", ""], 64),
            (["--key", "/nonexistent", "--key-id", "k", "--issuer-id", "a b"], 64),
            (["--offer-signature", "v3"], 64), (["--advanced-commerce", "on"], 64),
            (["--key", "/nonexistent", "--key-id", "k", "--issuer-id", "i"], 65),
        ] as [([String], Int32)]
    )
    func usage(arguments: [String], status: Int32) throws {
        #expect(try SmallRules.explain([:], arguments).status == status)
    }
}
