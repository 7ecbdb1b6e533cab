import Cryptography
import HTTPLoad
import Support
import System
import Testing

/// Sets up a pool that signs: keys, and rules with an outcome of each signed kind.
enum TestOffers {
    static let rules = """
        {"format": 1, "app": {"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app"},
         "environment": "Production", "locales": {"last": "en-US"},
         "messages": {
           "m": {"kind": "text", "ids": {"en-US": "\(TestRules.old.rawValue)"}},
           "o": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}},
           "c": {"kind": "advancedCommerce", "ids": {"en-US": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11"}}},
         "rules": [
           {"id": "offer", "when": {"fact": "productId", "eq": "offer"},
            "serve": {"offer": "o", "productId": "pro_annual", "offerIdentifier": "half"}},
           {"id": "commerce", "when": {"fact": "productId", "eq": "commerce"},
            "serve": {"advancedCommerce": "c", "request": {
              "retainBillingCycle": true, "changeItems": [{
                "currentSKU": "LARGE", "SKU": "SMALL", "displayName": "Small", "description": "Two channels",
                "price": 4990, "effective": "NEXT_BILL_CYCLE", "reason": "DOWNGRADE"}]}}}],
         "default": {"serve": {"message": "m"}}}
        """

    /// Runs `body` with a pool that has these keys. The last key signs.
    static func run(keys: [String], commerce: Bool = true, _ body: (Tester) throws -> Void) throws {
        let options = TesterOptions().with {
            $0.startsDaemon = false
        }
        try Tester.run(options) { tester in
            for id in keys { _ = try writeKey(id, to: tester) }
            try configure(tester, keys: keys, commerce: commerce)
            try tester.folder.write(rules, to: "data/app.rules.json")
            try tester.startDaemon()
            try body(tester)
        }
    }

    /// Writes a key and returns its path.
    static func writeKey(_ id: String, to tester: Tester) throws -> String {
        try tester.folder.write(SigningKey.generate().pem(), to: "\(id).p8", permissions: 0o600)
        return tester.folder.path(of: "\(id).p8")
    }

    /// Writes the configuration of an app with these keys. Each key is in the file `ID.p8`, and the last key signs.
    static func configure(_ tester: Tester, keys: [String], commerce: Bool = true) throws {
        let list = keys.map { id in
            #"{"keyId": "\#(id)", "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "#
                + #""file": "\#(tester.folder.path(of: "\(id).p8"))"}"#
        }
        let signing =
            keys.last.map { #", "signingKeys": [\#(list.joined(separator: ","))], "signingKeyId": "\#($0)""# }
            ?? ""
        let apps = """
            [{"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app",
              "environments": ["Production"]\(signing),
              "advancedCommerce": "\(commerce ? "signatureInfo" : "off")"}]
            """
        try tester.writeConfiguration(changes: [("apps", apps)])
    }

    static func ask(_ tester: Tester, product: String) throws -> PlainAnswer {
        let payload = tester.forge.payload.setting("productId", "\"\(product)\"")
        guard let answer = tester.post(try tester.forge.body(payload)) else { throw Complaint("no answer") }
        return answer
    }

    /// The id of the key that signed an offer; nil for an answer without a signature.
    static func keyID(_ tester: Tester) throws -> String? {
        let body = try ask(tester, product: "offer").body
        guard let header = body.firstMatch(of: /"promotionalOfferSignatureV2":"([^.]+)\./)?.1,
            let text = Base64URL.decode(Array(header.utf8).span)
        else { return nil }
        return String(decoding: text, as: UTF8.self).firstMatch(of: /"kid":"([^"]+)"/).map { String($0.1) }
    }
}

extension EndToEnd {
    @Suite("Signed answers")
    struct OfferTests {
        @Test("are an unsigned message when there is no key, or when this kind of signature is off")
        func unsigned() throws {
            try TestOffers.run(keys: []) { tester in
                for product in ["offer", "commerce"] {
                    let answer = try TestOffers.ask(tester, product: product)
                    #expect(answer.status == 200 && answer.body == TestRules.old.answer, "\(product)")
                }
                #expect(try tester.daemon.logCount("signing-key-missing") == 1)
            }
            try TestOffers.run(keys: ["KEY"], commerce: false) { tester in
                let answer = try TestOffers.ask(tester, product: "commerce")
                #expect(answer.body == TestRules.old.answer)
                #expect(try TestOffers.keyID(tester) == "KEY")
                #expect(try tester.daemon.logCount("advanced-commerce-off") == 1)
            }
        }

        @Test("come from a new key after a reload, and from the old key while the new one is bad")
        func rotation() throws {
            try TestOffers.run(keys: ["OLD"]) { tester in
                #expect(try TestOffers.keyID(tester) == "OLD")
                // The next key is configured but does not sign yet.
                try TestOffers.configure(tester, keys: ["NEW", "OLD"])
                try tester.reload(refusedWith: "signing-key-unreadable")
                let half = String(try SigningKey.generate().pem().prefix(100))
                try tester.folder.write(half, to: "NEW.p8", permissions: 0o600)
                try tester.reload(refusedWith: "signing-key-malformed")
                #expect(try TestOffers.keyID(tester) == "OLD")
                _ = try TestOffers.writeKey("NEW", to: tester)
                for (keys, signer) in [(["NEW", "OLD"], "OLD"), (["OLD", "NEW"], "NEW")] {
                    try TestOffers.configure(tester, keys: keys)
                    let former = try tester.workers
                    try tester.reload()
                    try tester.awaitOthers(than: former)
                    #expect(try TestOffers.keyID(tester) == signer)
                }
                // The key in the file made the signature, and the other did not.
                let answer = try TestOffers.ask(tester, product: "offer")
                for (key, status) in [("NEW", Int32(0)), ("OLD", 1)] {
                    let words = [
                        "verify", "--key", tester.folder.path(of: "\(key).p8"), "--bundle-id",
                        "com.example.app", "-",
                    ]
                    #expect(
                        try Programs.run(Programs.tool(), words, input: Array(answer.body.utf8)).status
                            == status)
                }
                // Workers that start later sign with the new key too.
                for worker in try tester.workers { try Processes.send(.kill, to: worker) }
                try #require(Patience.wait(seconds: 60) { (try? TestOffers.keyID(tester)) == "NEW" })
            }
        }

        @Test(
            "are unsigned while the key in the file is another or bad, also at a start, and signed after a reload"
        )
        func replacedKey() throws {
            try TestOffers.run(keys: ["KEY"]) { tester in
                #expect(try TestOffers.keyID(tester) == "KEY")
                func expectUnsigned(_ code: String) {
                    let isUnsigned = Patience.wait(seconds: 60) {
                        (try? TestOffers.ask(tester, product: "offer").body) == TestRules.old.answer
                    }
                    #expect(isUnsigned && tester.daemonLog.contains(code), "\(tester.daemonLog)")
                }
                _ = try TestOffers.writeKey("KEY", to: tester)
                for worker in try tester.workers { try Processes.send(.kill, to: worker) }
                expectUnsigned("code=signing-key-missing")
                #expect(try tester.status("missing keys") == 1)
                try tester.reload()
                #expect(Patience.wait(seconds: 60) { (try? TestOffers.keyID(tester)) == "KEY" })
                let key = try tester.folder.read("KEY.p8")
                try Directory.removeFile(path: tester.folder.path(of: "KEY.p8"))
                try tester.restartDaemon()
                expectUnsigned("signing-key-unreadable")
                try tester.folder.write(key, to: "KEY.p8", permissions: 0o600)
                try tester.reload()
                #expect(Patience.wait(seconds: 60) { (try? TestOffers.keyID(tester)) == "KEY" })
            }
        }
    }
}
