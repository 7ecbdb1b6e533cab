import Cryptography
import JSON
import Support
import Testing

@Suite("retentionctl sign offer and verify-offer")
struct OfferTests {
    private let keys: KeyFolder

    init() throws {
        keys = try KeyFolder()
    }

    @Test("sign and verify V2, member by member, in every form in which it is passed on")
    func v2() throws {
        let token = try Tool.run(keys.signing + KeyFolder.v2 + KeyFolder.fixed)
        #expect(token.status == 0, "\(token.errors)")
        #expect(token.output.hasPrefix("eyJ") && token.output.hasSuffix("\n"))
        let member = try Tool.run(keys.signing + ["--v2", "--json"] + KeyFolder.v2 + KeyFolder.fixed)
        #expect(member.output.hasPrefix(#"{"promotionalOfferSignatureV2":"eyJ"#))
        let identifier = #""messageIdentifier":"80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc""#
        let answer = #"{"promotionalOffer":{\#(identifier),\#(member.output.dropFirst().dropLast(2))}}"#
        for signature in [token.output, " \n\(token.output)", member.output, answer] {
            for key in [keys.key, keys.publicKey] {
                let run = try keys.verified(signature, by: key, ["--v2", "--bundle-id", "com.example.app"])
                #expect(
                    run.output == """
                        {"verified":true,"form":"promotionalOfferSignatureV2",\
                        "header":{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"},\
                        "claims":{"iss":"57246542-96fe-1a63-e053-0824d011072a","iat":1780920000,\
                        "aud":"promotional-offer","bid":"com.example.app",\
                        "nonce":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc","productId":"pro_monthly",\
                        "offerIdentifier":"save50_3m","transactionId":"2000000001"}}

                        """,
                    "\(run.errors)"
                )
                #expect(run.status == 0)
            }
        }
        let argument = String(token.output.dropLast())
        let table = try Tool.run(["verify-offer", "--key", keys.publicKey, argument])
        #expect(
            table.output.hasPrefix("good signature\n  promotionalOfferSignatureV2\nheader\n  alg  ES256\n")
        )
        #expect(table.output.hasSuffix("  transactionId    2000000001\nsigned 2026-06-08T12:00:00Z\n"))
    }

    @Test("sign and verify V1, with and without an appAccountToken", arguments: [true, false])
    func v1(hasToken: Bool) throws {
        let token = hasToken ? ["--app-account-token", "23A91CA7-06F3-425F-BFF6-820904B510A9"] : []
        let object = try Tool.run(keys.signing + ["--v1"] + token + KeyFolder.fixed)
        #expect(object.status == 0, "\(object.errors)")
        let member = try Tool.run(keys.signing + ["--v1", "--json"] + token + KeyFolder.fixed)
        #expect(member.output.hasPrefix(#"{"promotionalOfferSignatureV1":{"encodedSignature":"M"#))
        for signature in [object.output, member.output, #"{"promotionalOffer":\#(member.output)}"#] {
            let run = try keys.verified(signature, by: keys.key, ["--v1", "--bundle-id", "com.example.app"])
            #expect(run.status == 0, "\(run.errors)")
            let root = try Tool.document(run).root
            #expect(root.members.map(\.name) == ["verified", "form", "claims"])
            var claims = (root.member("claims")?.members ?? []).map { name, value in
                "\(name)=" + String(decoding: JSONNode(value).serialized(), as: UTF8.self)
            }
            #expect(claims.removeFirst().hasPrefix("encodedSignature=\"M"))
            let fields = [
                #"productId="pro_monthly""#, #"nonce="6584bedf-2ed0-4c01-93ed-c0c64a1670cc""#,
                "timestamp=1780920000999", #"keyId="2X9R4HXF34""#, #"offerIdentifier="save50_3m""#,
            ]
            let last = [#"appAccountToken="23a91ca7-06f3-425f-bff6-820904b510a9""#]
            #expect(claims == fields + (hasToken ? last : []))
        }
    }

    @Test("write valid JSON whatever characters a name has", arguments: ["--v1", "--v2"])
    func names(form: String) throws {
        let product = "a\u{202e}b\"\\ü\u{2062}"
        var arguments = keys.signing + [form, "--json"] + (form == "--v2" ? KeyFolder.v2 : [])
        let place = try #require(arguments.firstIndex(of: "pro_monthly"))
        arguments[place] = product
        let signed = try Tool.run(arguments)
        let run = try keys.verified(signed.output, by: keys.key, ["--bundle-id", "com.example.app"])
        #expect(run.status == 0, "\(run.output)")
        let claims = try Tool.document(run).root.member("claims")
        #expect(claims?.member("productId")?.string == product)
    }

    /// A change to a V1 object whose signature is good.
    @Test(
        "end with 1 when any field has changed",
        arguments: [
            ("pro_monthly", "pro_annual"), ("save50_3m", "save50_6m"), ("2X9R4HXF34", "2X9R4HXF35"),
            ("6584bedf", "6584bede"), ("1780920000999", "1780920000998"),
            ("23a91ca7", "23a91ca8"),
            (#","appAccountToken":"23a91ca7-06f3-425f-bff6-820904b510a9""#, ""),
        ]
    )
    func changedField(old: String, new: String) throws {
        let token = ["--app-account-token", "23a91ca7-06f3-425f-bff6-820904b510a9"]
        let object = try Tool.run(keys.signing + ["--v1"] + token + KeyFolder.fixed).output
        #expect(object.contains(old))
        let app = ["--bundle-id", "com.example.app"]
        let run = try keys.verified(object.replacing(old, with: new), by: keys.publicKey, app)
        #expect(run.status == 1, "\(run.errors)")
        let root = try Tool.document(run).root
        #expect(root.member("verified")?.boolean == false)
        #expect(root.member("refusal")?.string == "bad-signature")
        #expect(root.member("claims") == nil && root.member("unverifiedClaims") != nil)
        #expect(try keys.verified(object, by: keys.publicKey, app).status == 0)
        #expect(try keys.verified(object, by: keys.publicKey, ["--bundle-id", "com.example.ap"]).status == 1)
    }

    private static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
    }

    private static func decoded(_ part: Substring) throws -> String {
        let bytes = Array(part.utf8)
        let text = Base64URL.decode(bytes.span)
        return String(decoding: try #require(text), as: UTF8.self)
    }

    @Test("end with 1 when a claim has changed, another key signed, or the token is for another app")
    func changedClaim() throws {
        let token = try Tool.run(keys.signing + KeyFolder.v2 + KeyFolder.fixed).output
        let parts = token.dropLast().split(separator: ".")
        try #require(parts.count == 3)
        let claims = try Self.decoded(parts[1])
        for (old, new) in [
            ("57246542", "57246543"), ("1780920000", "1780920001"), ("com.example.app", "com.example.ap"),
            ("6584bedf", "6584bede"), ("pro_monthly", "pro_annual"), ("save50_3m", "save50_6m"),
            ("2000000001", "2000000002"),
        ] {
            #expect(claims.contains(old))
            let changed = "\(parts[0]).\(Self.encoded(claims.replacing(old, with: new))).\(parts[2])"
            let run = try keys.verified(changed, by: keys.publicKey)
            #expect(run.status == 1, "\(old): \(run.output)")
            #expect(try Tool.document(run).root.member("refusal")?.string == "bad-signature")
        }
        let stranger = try KeyFolder()
        #expect(try keys.verified(token, by: stranger.publicKey).status == 1)
        let other = try keys.verified(token, by: keys.publicKey, ["--bundle-id", "com.example.other"])
        #expect(other.status == 1 && other.output.contains(#""refusal":"other-app""#))
        let table = try Tool.run(
            ["verify-offer", "--key", keys.publicKey, "--bundle-id", "x"], input: Array(token.utf8))
        #expect(table.output.hasPrefix("good signature, of another app\n"))
    }

    /// A change to the header or the claims of a token, and the error that the tool prints before it checks the
    /// signature.
    @Test(
        "end with 65 for members that Apple does not document, and for missing or wrong members",
        arguments: [
            (#""alg":"ES256""#, #""alg":"none""#, #"header.alg is not "ES256""#),
            (#""typ":"JWT""#, #""typ":"JOSE""#, #"header.typ is not "JWT""#),
            (#","typ":"JWT""#, "", "header.typ is missing"),
            (#""kid":"2X9R4HXF34""#, #""kid":"""#, "header.kid is empty"),
            (#""alg":"#, #""x5c":[],"alg":"#, "header.x5c is not a member that Apple knows"),
            (#","transactionId":"2000000001""#, "", "claims.transactionId is missing"),
            (#""2000000001""#, "2000000001", "claims.transactionId is not a string"),
            (#""transactionId":"2000000001""#, #""transactionId":"""#, "claims.transactionId is empty"),
            (#""iss":"5"#, #""iss":"","x":"5"#, "claims.x is not a member that Apple knows"),
            (#""com.example.app""#, #""""#, "claims.bid is empty"),
            ("1780920000", "\"1780920000\"", "claims.iat is not a whole number"),
            ("1780920000", "0", "claims.iat is not in seconds since 1970"),
            ("1780920000", "-1780920000", "claims.iat is not in seconds since 1970"),
            ("1780920000", "1780920000999", "claims.iat is not in seconds since 1970"),
            ("6584bedf-2ed0", "6584BEDF-2ed0", "claims.nonce is not a UUID in lower case"),
            (#""6584bedf-2ed0-4c01-93ed-c0c64a1670cc""#, #""""#, "claims.nonce is not a UUID in lower case"),
            ("pro_monthly", #"pro\u2063monthly"#, "claims.productId is not without control characters"),
            ("save50_3m", #"save50\n"#, "claims.offerIdentifier is not without control characters"),
            (#""iat""#, #""exp":1780920300,"iat""#, "claims.exp is not a member that Apple knows"),
            (
                #""promotional-offer""#, #"["promotional-offer"]"#,
                "claims.aud is not \"promotional-offer\" or"
            ),
            (
                #""promotional-offer""#, #""introductory-offer-eligibility""#,
                "claims.aud is not \"promotional"
            ),
            (#""promotional-offer""#, #""advanced-commerce-api""#, "claims.request is missing"),
        ]
    )
    func malformedToken(old: String, new: String, message: String) throws {
        let token = try Tool.run(keys.signing + KeyFolder.v2 + KeyFolder.fixed).output
        let parts = token.dropLast().split(separator: ".")
        try #require(parts.count == 3)
        let texts = try parts[..<2].map { try Self.decoded($0) }
        #expect(texts.contains { $0.contains(old) })
        let changed = texts.map { Self.encoded($0.replacing(old, with: new)) } + [String(parts[2])]
        let run = try Tool.run(["verify-offer", "--key", keys.publicKey, changed.joined(separator: ".")])
        #expect(run.status == 65, "\(run.output)")
        #expect(run.errors.contains(": \(message)"), "\(run.errors)")
    }

    @Test(
        "end with 65 for input that is not a signature",
        arguments: [
            ("", "offer.not-a-signature"), ("{}", "offer.not-a-signature"), ("{", "offer.not-a-signature"),
            ("[]", "offer.not-a-signature"), ("e30=", "offer.not-a-signature"),
            ("a.b", "offer.jws-malformed"),
            ("e30.e30.AAAA", "offer.jws-malformed"), ("a.b.c.d", "offer.jws-malformed"),
            (#"{"advancedCommerceData":"{}"}"#, "offer.not-a-signature"),
            (#"{"advancedCommerceData":"e30="}"#, "offer.not-a-signature"),
            (#"{"promotionalOfferSignatureV2":1}"#, "offer.not-a-signature"),
            (#"{"promotionalOfferSignatureV1":{}}"#, "offer.member-missing"),
            (#"{"promotionalOfferSignatureV1":"x"}"#, "offer.member-wrong"),
            (#"{"encodedSignature":"AAAA"}"#, "offer.member-missing"),
        ]
    )
    func malformed(text: String, code: String) throws {
        let run = try keys.verified(text, by: keys.publicKey, ["--bundle-id", "com.example.app"])
        #expect(run.status == 65, "\(run.errors)")
        let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
        #expect(found?.member("code")?.string == code)
    }
}
