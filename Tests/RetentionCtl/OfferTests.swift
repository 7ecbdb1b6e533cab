import Cryptography
import JSON
import Reply
import Support
import Testing

@Suite("retentionctl verify on offers")
struct OfferTests {
    private let keys: KeyFolder
    private static let app = ["--bundle-id", "com.example.app"]

    init() throws {
        keys = try KeyFolder()
    }

    @Test("verifies V2, member by member, in every form in which it is passed on")
    func v2() throws {
        let (answer, token) = try keys.signed(.v2)
        let nonce = try #require(
            try Self.decoded(token.split(separator: ".")[1]).firstMatch(of: /"nonce":"([0-9a-f-]{36})"/)?
                .output.1)
        for signature in [token, " \n\(token)\n", #"{"promotionalOfferSignatureV2":"\#(token)"}"#, answer] {
            for key in [keys.key, keys.publicKey] {
                let run = try keys.verified(signature, by: key, Self.app)
                #expect(run.status == 0, "\(run)")
                let root = try Tool.document(run).root
                #expect(root.members.map(\.name) == ["verified", "form", "signedAt", "header", "claims"])
                #expect(root.member("form")?.string == "promotionalOfferSignatureV2")
                #expect(root.member("signedAt")?.string == "2026-06-08T12:00:00Z")
                #expect(
                    Self.text(root.member("header")) == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
                #expect(
                    Self.text(root.member("claims")) == """
                        {"iss":"57246542-96fe-1a63-e053-0824d011072a","iat":1780920000,"aud":"promotional-offer",\
                        "bid":"com.example.app","nonce":"\(nonce)","productId":"pro_monthly",\
                        "offerIdentifier":"save50_3m","transactionId":"2000000001"}
                        """)
            }
        }
        let text = try Tool.run(["verify", "--key", keys.publicKey], input: Array(token.utf8))
        #expect(
            text.output.hasPrefix(
                "good signature\n  verified  true\n  form      promotionalOfferSignatureV2\n"),
            "\(text.output)")
    }

    private static func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: JSONNode($0).serialized(), as: UTF8.self) }
    }

    @Test("verifies V1, whose app is named")
    func v1() throws {
        let (answer, fields) = try keys.signed(.v1)
        for signature in [fields, #"{"promotionalOfferSignatureV1":\#(fields)}"#, answer] {
            let run = try keys.verified(signature, by: keys.key, Self.app)
            #expect(run.status == 0, "\(run)")
            let root = try Tool.document(run).root
            #expect(root.members.map(\.name) == ["verified", "form", "signedAt", "claims"])
            #expect(Self.text(root.member("claims")) == fields)
        }
        let nameless = try keys.verified(fields, by: keys.key)
        #expect(nameless.status == 64 && nameless.errors.contains("--bundle-id does"), "\(nameless)")
    }

    @Test("sees that a text is an offer, and asks for its key")
    func keyless() throws {
        for form in OfferSignature.allCases {
            let run = try Tool.run(["verify"], input: Array(keys.signed(form).answer.utf8))
            #expect(run.status == 64 && run.errors.contains("--key names the key that made it"), "\(run)")
        }
    }

    @Test(
        "ends with 1 when any field has changed",
        arguments: [
            ("pro_monthly", "pro_annual"), ("save50_3m", "save50_6m"), ("2X9R4HXF34", "2X9R4HXF35"),
            (#""nonce":"NONCE""#, #""nonce":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc""#),
            ("1780920000000", "1780920000001"),
            (#""keyId""#, #""appAccountToken":"23a91ca7-06f3-425f-bff6-820904b510a9","keyId""#),
        ]
    )
    func changedField(old: String, new: String) throws {
        let fields = try keys.signed(.v1).signature
        let nonce = try #require(fields.firstMatch(of: /"nonce":"([0-9a-f-]{36})"/)?.output.1)
        let old = old.replacing("NONCE", with: nonce)
        #expect(fields.contains(old))
        let run = try keys.verified(fields.replacing(old, with: new), by: keys.publicKey, Self.app)
        #expect(run.status == 1, "\(run)")
        let root = try Tool.document(run).root
        #expect(root.member("verified")?.boolean == false)
        #expect(root.member("claims") == nil && root.member("unverifiedClaims") != nil)
        #expect(try keys.verified(fields, by: keys.publicKey, ["--bundle-id", "com.example.ap"]).status == 1)
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

    @Test("ends with 1 when a claim has changed, or another key signed")
    func changedClaim() throws {
        let token = try keys.signed(.v2).signature
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let claims = try Self.decoded(parts[1])
        for (old, new) in [
            ("57246542", "57246543"), ("1780920000", "1780920001"), ("com.example.app", "com.example.ap"),
            ("pro_monthly", "pro_annual"), ("save50_3m", "save50_6m"),
            ("2000000001", "2000000002"),
        ] {
            #expect(claims.contains(old))
            let changed = "\(parts[0]).\(Self.encoded(claims.replacing(old, with: new))).\(parts[2])"
            let run = try keys.verified(changed, by: keys.publicKey)
            #expect(run.status == 1, "\(old): \(run.output)")
        }
        let stranger = try KeyFolder()
        #expect(try keys.verified(token, by: stranger.publicKey).status == 1)
    }

    @Test(
        "ends with 65 for input that is not a signature",
        arguments: [
            ("", "offer.malformed"), ("{}", "offer.malformed"), ("{", "offer.malformed"),
            ("[]", "offer.malformed"), ("e30=", "offer.malformed"),
            ("a.b", "offer.malformed"),
            ("e30.e30.AAAA", "offer.malformed"), ("a.b.c.d", "offer.malformed"),
            (#"{"advancedCommerceData":"{}"}"#, "offer.malformed"),
            (#"{"advancedCommerceData":"e30="}"#, "offer.malformed"),
            (#"{"promotionalOfferSignatureV2":1}"#, "offer.malformed"),
            (#"{"promotionalOfferSignatureV1":{}}"#, "offer.malformed"),
            (#"{"promotionalOfferSignatureV1":"x"}"#, "offer.malformed"),
            (#"{"encodedSignature":"AAAA"}"#, "offer.malformed"),
            ("e30.e30.\(String(repeating: "A", count: 86))", "offer.malformed"),
        ]
    )
    func malformed(text: String, code: String) throws {
        let run = try keys.verified(text, by: keys.publicKey, Self.app)
        #expect(run.status == 65, "\(run.errors)")
        let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
        #expect(found?.member("code")?.string == code)
    }

    /// Each row has the file of a bad key, and the exit status and the code of a command.
    @Test("refuse a bad key as the service does")
    func badKeys() throws {
        let folder = keys.folder
        let openssl = { (arguments: [String]) throws -> String in
            try ProgramRun.run("openssl", arguments).output
        }
        let good = String(decoding: try folder.read("key.p8"), as: UTF8.self)
        try folder.write(good, to: "exposed.p8", permissions: 0o604)
        let p384 = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
        try folder.write(try openssl(p384), to: "p384.p8", permissions: 0o600)
        let locked = ["pkcs8", "-topk8", "-passout", "pass:x", "-in", keys.key]
        try folder.write(try openssl(locked), to: "locked.p8", permissions: 0o600)
        try folder.write(String(good.dropLast(40)), to: "cut.p8", permissions: 0o600)
        try folder.write([UInt8](repeating: 0x41, count: 1 << 16), to: "long.p8", permissions: 0o600)
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo.p8")])
        let token = try keys.signed(.v2).signature
        // The first two files are not private keys, so their permissions do not matter.
        let certificate = ["req", "-x509", "-key", keys.key, "-subj", "/CN=a"]
        try folder.write(try openssl(certificate), to: "certificate.pem")
        try folder.write("x", to: "text.pem")
        let others: [(String, Int32, String)] = [
            ("certificate.pem", 65, "cryptography.key-malformed"),
            ("text.pem", 65, "cryptography.key-malformed"), ("exposed.p8", 65, "signing-key-exposed"),
            ("p384.p8", 65, "signing-key-unsuitable"), ("cut.p8", 65, "signing-key-malformed"),
            ("absent.p8", 65, "system.enoent"), ("long.p8", 65, "signing-key-malformed"),
            ("", 65, "signing-key-not-regular"),
            ("fifo.p8", 65, "signing-key-not-regular"),
        ]
        for (name, status, code) in others {
            let run = try keys.verified(token, by: folder.path(of: name))
            #expect(run.status == status, "\(name): \(run.output)")
            let found = try Tool.document(run).root.member("diagnostics")?.element(at: 0)
            #expect(found?.member("code")?.string == code, "\(name)")
        }
        // The group of a key may read it, as with systemd's LoadCredential.
        try folder.write(good, to: "group.p8", permissions: 0o640)
        #expect(try keys.verified(token, by: folder.path(of: "group.p8")).status == 0)
    }
}
