import Cryptography
import JSON
import Reply
import Rules
import Support
import System
import Testing

struct SignerWorld {
    static let keyId = "2X9R4HXF34"
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    static let bundleId = "com.example.app"
    static let nonce = UUID(high: 0x6584_bedf_2ed0_4c01, low: 0x93ed_c0c6_4a16_70cc)
    static let now: Int64 = 1_780_920_000_999
    static let context = OfferSigner.SigningContext(
        transactionId: "2000000001", nowMilliseconds: now, nonce: nonce)
    static let offer = PromotionalOffer(productId: "Yoga_summer_2026", offerIdentifier: "Yoga_cancel_3m")

    let folder: TemporaryDirectory
    private let key: SigningKey
    private let form: OfferSignature
    var signer: OfferSigner { get throws { try signer(signing: .all) } }

    init(form: OfferSignature = .v2) throws {
        folder = try TemporaryDirectory()
        self.form = form
        key = try SigningKey.generate()
        let pem = try key.pem()
        let run = try ProgramRun.run("openssl", ["pkey", "-pubout"], input: Array(pem.utf8))
        try folder.write(run.output, to: "public.pem")
    }

    func signer(signing capabilities: SigningCapabilities) throws -> OfferSigner {
        try OfferSigner(
            key: key, keyId: Self.keyId, issuerId: Self.issuerId, bundleId: Self.bundleId, form: form,
            capabilities: capabilities)
    }

    func opensslVerifies(_ signature: [UInt8], of text: [UInt8]) throws -> Bool {
        try folder.write(signature, to: "signature")
        let arguments = [
            "dgst", "-sha256", "-verify", folder.path(of: "public.pem"), "-signature",
            folder.path(of: "signature"),
        ]
        return try ProgramRun.run("openssl", arguments, input: text).output == "Verified OK\n"
    }

    func der(_ raw: [UInt8]) throws -> [UInt8] {
        func number(_ bytes: ArraySlice<UInt8>) -> String {
            bytes.map { byte in
                let text = String(byte, radix: 16)
                return text.count == 1 ? "0\(text)" : text
            }.joined()
        }
        let text = """
            asn1=SEQUENCE:signature
            [signature]
            r=INTEGER:0x\(number(raw[..<32]))
            s=INTEGER:0x\(number(raw[32...]))

            """
        try folder.write(text, to: "asn1")
        let path = folder.path(of: "der")
        let run = try ProgramRun.run(
            "openssl", ["asn1parse", "-genconf", folder.path(of: "asn1"), "-noout", "-out", path])
        try #require(run.status == 0, "\(run.errors)")
        return try folder.read("der")
    }

    func opened(_ token: String) throws -> (header: JSONValue, claims: JSONValue) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let raw = try #require(Self.decoded(parts[2]))
        try #require(raw.count == 64)
        let text = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(try opensslVerifies(try der(raw), of: text))
        // The signature does not verify for a changed text.
        #expect(try !opensslVerifies(try der(raw), of: text + [UInt8(ascii: "A")]))
        return (
            try Self.json(try #require(Self.decoded(parts[0]))),
            try Self.json(try #require(Self.decoded(parts[1])))
        )
    }

    static func decoded(_ part: String) -> [UInt8]? {
        let text = Array(part.utf8)
        return Base64URL.decode(text.span)
    }

    static func json(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 16, depth: 16)).root
    }
}

extension JSONValue {
    /// The members as JSON texts, by their names.
    var texts: [String: String] {
        Dictionary(
            members.map { ($0.name, String(decoding: JSONNode($0.value).serialized(), as: UTF8.self)) }
        ) { first, _ in first }
    }
}
