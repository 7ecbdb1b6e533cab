import Cryptography
import JSON
import Reply
import Support
import System
import Testing

@Suite("Signatures of promotional offers")
struct PromotionalOfferTests {
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

    @Test("of V1 verify under the openssl command")
    func v1() throws {
        let world = try SignerWorld(form: .v1)
        let signature = try world.signer.signatureV1(of: SignerWorld.offer, on: SignerWorld.context)
        // The fields are spelt out here, so that the test does not compare the code with itself.
        let fields = [
            "com.example.app", "2X9R4HXF34", "Yoga_summer_2026", "Yoga_cancel_3m",
            "",
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
        ]
        var json = TextBuffer()
        signature.append(to: &json)
        #expect(try SignerWorld.json(json.bytes).texts == expected)
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
}
