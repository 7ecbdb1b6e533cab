import Authoring
import Cryptography
import JSON
import Reply
import Rules
import Support
import System
import Testing

/// A folder with a key that was made for one test. Only its owner can read `key.p8`; everybody can read `public.pem`.
struct KeyFolder {
    let folder: TemporaryDirectory
    var key: String { folder.path(of: "key.p8") }
    var publicKey: String { folder.path(of: "public.pem") }

    init() throws {
        folder = try TemporaryDirectory()
        let pem = try SigningKey.generate().pem()
        try folder.write(pem, to: "key.p8", permissions: 0o600)
        let run = try ProgramRun.run("openssl", ["pkey", "-pubout"], input: Array(pem.utf8))
        try folder.write(run.output, to: "public.pem")
    }

    /// Rules that offer.
    static let rules = SmallRules.source([
        "default":
            #"{"serve": {"offer": "offer", "productId": "pro_monthly", "offerIdentifier": "save50_3m"}}"#
    ])

    /// Returns an answer of the service with the signature of an offer, and the signature alone as it stands there.
    func signed(_ form: OfferSignature) throws -> (answer: String, signature: String) {
        let rules = try RulesCompiler.resolve(Array(Self.rules.utf8)).file
        let request = DecisionRequest(
            appAppleId: 7, environment: .production, productId: "p", userLocale: "en-US",
            originalTransactionId: "2000000001", nowMilliseconds: 1_780_920_000_000, signing: .all)
        let signer = try OfferSigner(
            key: try SigningKeyFile.key(path: key), keyId: "2X9R4HXF34",
            issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: "com.example.app", form: form,
            capabilities: .all)
        let signed = decideAndSign(request, facts: .none(ageSeconds: nil), using: rules, signer: signer)
        let body = Answer(serving: signed.outcome).body
        let document = try JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: 1 << 16, depth: 8))
        let name = "promotionalOfferSignature\(form.rawValue.uppercased())"
        let value = try #require(document.root.member("promotionalOffer")?.member(named: name))
        return (
            String(decoding: body, as: UTF8.self),
            value.string ?? String(decoding: JSONNode(value).serialized(), as: UTF8.self)
        )
    }

    /// Verifies a signature with a key. The run has the report in JSON.
    func verified(_ signature: String, by key: String, _ more: [String] = []) throws -> ProgramRun {
        try Tool.run(["verify", "--json", "--key", key] + more, input: Array(signature.utf8))
    }
}

/// A small rules source whose members a test can set.
enum SmallRules {
    /// A source with these members, each of which is JSON. It has a message of each kind.
    static func source(_ members: [String: String]) -> String {
        var all = [
            "format": "1", "app": #"{"appAppleId": 7, "bundleId": "com.example.app"}"#,
            "environment": #""Production""#, "locales": #"{"last": "en-US"}"#,
            "facts":
                #"{"inTrial": "bool", "paidPeriods": "int", "storefront": "string", "plan": "enum(a, b)"}"#,
            "messages": #"""
            {"text": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
             "offer": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}},
             "switch": {"kind": "switch", "ids": {"en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0"}},
             "bundle": {"kind": "advancedCommerce", "ids": {"en-US": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11"}}}
            """#,
            "default": #"{"serve": {"message": "text"}}"#,
        ]
        for (name, text) in members { all[name] = text }
        return "{" + all.map { "\"\($0.key)\": \($0.value)" }.sorted().joined(separator: ",\n ") + "}\n"
    }
}
