import Cryptography
import JSON
import Support
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

    /// The arguments that explain, with the key in a file, how an offer is signed for a subscriber.
    static func explaining(_ form: String, key: String) -> [String] {
        [
            "explain", "-", "--product", "p", "--subscriber", "2000000001", "--at", "2026-06-08T12:00:00Z",
            "--key", key,
            "--key-id", "2X9R4HXF34", "--issuer-id", "57246542-96fe-1a63-e053-0824d011072a",
            "--offer-signature",
            form,
        ]
    }

    /// Rules that offer.
    static let rules = Array(
        SmallRules.source([
            "default":
                #"{"serve": {"offer": "offer", "productId": "pro_monthly", "offerIdentifier": "save50_3m"}}"#
        ]).utf8)

    /// Returns an answer of the service with the signature of an offer, and the signature alone as it stands there.
    func signed(_ form: String) throws -> (answer: String, signature: String) {
        let run = try Tool.run(Self.explaining(form, key: key) + ["--json"], input: Self.rules)
        let body = try #require(
            try Tool.document(run).root.member("answer")?.member("body")?.string, "\(run.errors)")
        let document = try JSONDocument(
            parsing: Array(body.utf8).span, limits: JSONLimits(byteCount: 1 << 16, depth: 8))
        let name = "promotionalOfferSignature\(form.uppercased())"
        let value = try #require(document.root.member("promotionalOffer")?.member(named: name))
        return (body, value.string ?? String(decoding: JSONNode(value).serialized(), as: UTF8.self))
    }

    /// Verifies a signature with a key. The run has the report in JSON.
    func verified(_ signature: String, by key: String, _ more: [String] = []) throws -> ProgramRun {
        try Tool.run(["verify", "--json", "--key", key] + more, input: Array(signature.utf8))
    }
}
