import Cryptography
import JSON
import OfferSigning
import Support
import Testing
import Vocabulary

@Suite("Signatures of promotional offers")
struct PromotionalOfferTests {
    private static let token = UUID(high: 0x23a9_1ca7_06f3_425f, low: 0xbff6_8209_04b5_10a9)

    /// The rows have the length and the digest of the bytes that Apple's page makes from the same fields.
    @Test(
        "of V1 sign the bytes that Apple specifies",
        arguments: [
            (token, 158, "7bf0a461f2a36de057f1034bbf7b095a29d020f900d238fbc692269584d60855"),
            (nil, 122, "c77c371afdc4b44b41cfedc4d473bf771813ebb5d260df0c3d0a40e2ff4b9354"),
        ]
    )
    func signedText(token: UUID?, byteCount: Int, digest: String) throws {
        let text = try PromotionalOfferSignatureV1.signedText(
            bundleId: SignerWorld.bundleId, keyId: SignerWorld.keyId, offer: SignerWorld.offer,
            appAccountToken: token, nonce: SignerWorld.nonce, timestamp: 1_780_920_000_000)
        #expect(text.count == byteCount)
        let hash = SHA256.hash(text.span)
        #expect(hash.hexadecimal == digest)
    }

    @Test(
        "of V1 are not made for an identifier with the separator or with a control character",
        arguments: [
            "pro\u{2063}evil", "\u{2063}", "pro\u{0}", "pro\n", "pro\r\n", "\u{1f}", "\u{7f}", "pro\u{80}",
            "\u{9f}",
        ]
    )
    func badIdentifiers(name: String) throws {
        let world = try SignerWorld(form: .v1)
        for offer in [
            PromotionalOffer(productId: name, offerIdentifier: "o"),
            PromotionalOffer(productId: "p", offerIdentifier: name),
        ] {
            #expect(throws: OfferSigningError.badIdentifier) {
                _ = try world.signer.signatureV1(of: offer, on: SignerWorld.context)
            }
        }
        // The bundle and the key are fields of the same text.
        for (bundle, key) in [(name, "k"), ("b", name)] {
            #expect(throws: OfferSigningError.badIdentifier) {
                _ = try PromotionalOfferSignatureV1.signedText(
                    bundleId: bundle, keyId: key,
                    offer: PromotionalOffer(productId: "p", offerIdentifier: "o"), appAccountToken: nil,
                    nonce: SignerWorld.nonce, timestamp: 1)
            }
        }
    }

    @Test("of V1 are made for other identifiers", arguments: ["a b", "~", "\u{a0}", "ü", "\u{2062}", "🧘"])
    func goodIdentifiers(name: String) throws {
        let world = try SignerWorld(form: .v1)
        let offer = PromotionalOffer(productId: name, offerIdentifier: name)
        #expect(try world.signer.signatureV1(of: offer, on: SignerWorld.context).offer == offer)
    }

    @Test("of V1 verify under the openssl command", arguments: [token, nil])
    func v1(token: UUID?) throws {
        let world = try SignerWorld(form: .v1)
        let signature = try world.signer.signatureV1(
            of: SignerWorld.offer, on: SignerWorld.context, appAccountToken: token)
        // The fields are spelt out here, so that the test does not compare the code with itself.
        let fields = [
            "com.example.app", "2X9R4HXF34", "Yoga_summer_2026", "Yoga_cancel_3m",
            token == nil ? "" : "23a91ca7-06f3-425f-bff6-820904b510a9",
            "6584bedf-2ed0-4c01-93ed-c0c64a1670cc",
            "1780920000999",
        ]
        let encoded = Array(signature.encodedSignature.utf8)
        let decoded = Base64.decode(encoded.span)
        let der = try #require(decoded)
        #expect(try world.opensslVerifies(der, of: Array(fields.joined(separator: "\u{2063}").utf8)))
        for index in fields.indices {
            var other = fields
            other[index] += "x"
            let text = Array(other.joined(separator: "\u{2063}").utf8)
            #expect(try !world.opensslVerifies(der, of: text), "\(index)")
        }
        let expected = [
            "encodedSignature": "\"\(signature.encodedSignature)\"", "productId": "\"Yoga_summer_2026\"",
            "nonce": "\"6584bedf-2ed0-4c01-93ed-c0c64a1670cc\"", "timestamp": "1780920000999",
            "keyId": "\"2X9R4HXF34\"", "offerIdentifier": "\"Yoga_cancel_3m\"",
            "appAccountToken": token.map { "\"\($0)\"" },
        ].compactMapValues { $0 }
        #expect(try SignerWorld.json(signature.object.finished()).texts == expected)
    }

    @Test("of V2 verify under the openssl command, and have Apple's header and claims and nothing else")
    func v2() throws {
        let world = try SignerWorld()
        let token = try world.signer.signatureV2(of: SignerWorld.offer, on: SignerWorld.context)
        let (header, claims) = try world.opened(token)
        #expect(header.texts == ["alg": "\"ES256\"", "kid": "\"2X9R4HXF34\"", "typ": "\"JWT\""])
        // `iat` is in seconds. `aud` is a string and not an array.
        #expect(
            claims.texts == [
                "iss": "\"57246542-96fe-1a63-e053-0824d011072a\"", "iat": "1780920000",
                "aud": "\"promotional-offer\"", "bid": "\"com.example.app\"",
                "nonce": "\"6584bedf-2ed0-4c01-93ed-c0c64a1670cc\"", "productId": "\"Yoga_summer_2026\"",
                "offerIdentifier": "\"Yoga_cancel_3m\"", "transactionId": "\"2000000001\"",
            ]
        )
        #expect(header.members.count == 3)
        #expect(claims.members.count == 8)
    }

    @Test("of V2 can have any names, which JSON escapes")
    func names() throws {
        let world = try SignerWorld()
        let names = ["a\"b\\c", "\u{2063}", "Größe 🧘", "</script>", "\u{1}"]
        for name in names {
            let offer = PromotionalOffer(productId: name, offerIdentifier: name)
            let token = try world.signer.signatureV2(of: offer, on: SignerWorld.context)
            let claims = try world.opened(token).claims
            #expect(claims.member("productId")?.string == name)
            #expect(claims.member("offerIdentifier")?.string == name)
            #expect(claims.members.count == 8)
        }
    }

    @Test("are never the same twice, not even for the same text")
    func freshSignatures() throws {
        let world = try SignerWorld()
        var tokens: Set<String> = []
        var first: Set<String> = []
        for _ in 0..<200 {
            let token = try world.signer.signatureV2(of: SignerWorld.offer, on: SignerWorld.context)
            tokens.insert(token)
            let signature = try #require(token.split(separator: ".").last.map(String.init))
            // r depends on the random number of the signature. Two signatures with the same r would reveal the key.
            let raw = try #require(SignerWorld.decoded(signature))
            first.insert(raw[..<32].map { "\($0)" }.joined(separator: " "))
        }
        #expect(tokens.count == 200)
        #expect(first.count == 200)
    }
}
