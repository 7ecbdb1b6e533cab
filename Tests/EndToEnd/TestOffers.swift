import Cryptography
import HTTPLoad
import Support
import System

/// Sets up a pool that signs: keys, and rules with a kind of outcome for each product.
enum TestOffers {
    static let rules = """
        {"format": 1, "app": {"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app"},
         "environment": "Production", "locales": {"last": "en-US"},
         "messages": {
           "m": {"kind": "text", "ids": {"en-US": "551EE7C0-c097-418e-9dd5-2a98533a7390"}},
           "s": {"kind": "switch", "ids": {"en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0"}},
           "o": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}},
           "c": {"kind": "advancedCommerce", "ids": {"en-US": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11"}}},
         "rules": [
           {"id": "switch", "when": {"fact": "productId", "eq": "switch"},
            "serve": {"switch": "s", "productId": "pro_annual", "billingPlanType": "MONTHLY"}},
           {"id": "plain_switch", "when": {"fact": "productId", "eq": "plain switch"},
            "serve": {"switch": "s", "productId": "pro_annual"}},
           {"id": "offer", "when": {"fact": "productId", "eq": "offer"},
            "serve": {"offer": "o", "productId": "pro_\\u00e9\\"1", "offerIdentifier": "half"}},
           {"id": "commerce", "when": {"fact": "productId", "eq": "commerce"},
            "serve": {"advancedCommerce": "c", "request": {
              "retainBillingCycle": true, "changeItems": [{
                "currentSKU": "LARGE", "SKU": "SMALL", "displayName": "Small", "description": "Two channels",
                "price": 4990, "effective": "NEXT_BILL_CYCLE", "reason": "DOWNGRADE"}]}}}],
         "default": {"serve": {"message": "m"}}}
        """

    /// Compiles and pushes the rules.
    static func pushRules(to tester: Tester) throws {
        try tester.folder.write(rules, to: "offers.json")
        let tool = try ProgramRun.product("retentionctl")
        let source = tester.folder.path(of: "offers.json")
        let run = try Programs.run(tool, ["compile", source, "-o", tester.rulesPath])
        guard run.status == 0 else { throw Complaint(run.errors) }
    }

    /// Writes a key.
    ///
    /// - Returns: its path.
    static func writeKey(_ id: String, to tester: Tester, permissions: UInt32 = 0o600) throws -> String {
        try tester.folder.write(SigningKey.generate().pem(), to: "\(id).p8", permissions: permissions)
        return tester.folder.path(of: "\(id).p8")
    }

    /// Writes the configuration of an app with these keys. Each key is in the file `ID.p8`, and the last key signs.
    static func configure(_ tester: Tester, keys: [String], form: String = "v2", commerce: Bool = true) throws
    {
        let list = keys.map { id in
            #"{"keyId": "\#(id)", "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "#
                + #""file": "\#(tester.folder.path(of: "\(id).p8"))"}"#
        }
        let signing =
            keys.last.map { #", "signingKeys": [\#(list.joined(separator: ","))], "signingKeyId": "\#($0)""# }
            ?? ""
        let apps = """
            [{"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app",
              "environments": ["Production"], "offerSignature": "\(form)"\(signing),
              "advancedCommerce": "\(commerce ? "signatureInfo" : "off")"}]
            """
        try TesterFolder.writeConfiguration(tester, changes: [("apps", apps)])
    }

    /// Sends a request of the subscriber 2000000001 for a product.
    static func ask(_ tester: Tester, product: String) throws -> PlainAnswer {
        let payload = tester.forge.payload.setting("productId", "\"\(product)\"")
            .setting("originalTransactionId", "\"2000000001\"")
        guard let answer = tester.post(try tester.forge.body(payload)) else { throw Complaint("no answer") }
        return answer
    }

    /// Requests the product `offer` and returns the id of the key that signed the answer (V2), or nil when the answer
    /// has no signature.
    static func keyID(_ tester: Tester) throws -> String? {
        let answer = try DecodedAnswer(try ask(tester, product: "offer").body)
        return answer.tokens.first?.keyID
    }

    /// The exit status of `retentionctl verify-offer` for an answer: 0 when the key in the file `ID.p8` made its
    /// signature.
    static func verification(_ tester: Tester, _ answer: PlainAnswer, key: String) throws -> Int32 {
        let arguments = [
            "verify-offer", "--key", tester.folder.path(of: "\(key).p8"), "--bundle-id", "com.example.app",
            "-",
        ]
        return try Programs.run(ProgramRun.product("retentionctl"), arguments, input: Array(answer.body.utf8))
            .status
    }
}
