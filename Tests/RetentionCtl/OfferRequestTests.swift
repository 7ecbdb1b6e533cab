import Cryptography
import Support
import Testing

@Suite("retentionctl verify-offer on Advanced Commerce requests")
struct OfferRequestTests {
    private let keys: KeyFolder

    init() throws {
        keys = try KeyFolder()
    }

    private static let nonce = "6584bedf-2ed0-4c01-93ed-c0c64a1670cc"
    private static let request = """
        {"operation":"MODIFY_SUBSCRIPTION","version":"1","requestInfo":{"requestReferenceId":"\(nonce)"},\
        "transactionId":"2000000001","retainBillingCycle":true}
        """

    /// A token with this request and with a signature that no key has made.
    private static func token(_ request: String, nonce: String = nonce) -> String {
        let encoded = Array(request.utf8)
        let claims = """
            {"iss":"i","iat":1780920000,"aud":"advanced-commerce-api","bid":"com.example.app",\
            "nonce":"\(nonce)","request":"\(String(decoding: Base64.encode(encoded.span), as: UTF8.self))"}
            """
        let parts = [#"{"alg":"ES256","kid":"k","typ":"JWT"}"#, claims].map { Array($0.utf8) }
        let signature = [UInt8](repeating: 1, count: 64)
        return (parts + [signature]).map { String(decoding: Base64URL.encode($0.span), as: UTF8.self) }
            .joined(separator: ".")
    }

    /// A change to the request, and the error that the tool prints before it checks the signature.
    @Test(
        "ends with 65 when a member that the service writes is missing or wrong",
        arguments: [
            ("MODIFY_SUBSCRIPTION", "CANCEL", #"request.operation is not "MODIFY_SUBSCRIPTION""#),
            (#""operation":"MODIFY_SUBSCRIPTION","#, "", "request.operation is missing"),
            (#""version":"1""#, #""version":1"#, #"request.version is not "1""#),
            (#""version":"1","#, "", "request.version is missing"),
            ("2000000001", "", "request.transactionId is empty"),
            (#""transactionId":"2000000001","#, "", "request.transactionId is missing"),
            (#""requestReferenceId":"\#(nonce)""#, "", "request.requestInfo.requestReferenceId is missing"),
            (nonce, "x", "request.requestInfo.requestReferenceId is not a UUID in lower case"),
            (#"{"requestReferenceId":"\#(nonce)"}"#, "[]", "request.requestInfo is not a JSON object"),
        ]
    )
    func malformed(old: String, new: String, message: String) throws {
        #expect(Self.request.contains(old))
        let token = Self.token(Self.request.replacing(old, with: new))
        let run = try Tool.run(["verify-offer", "--key", keys.publicKey, token])
        #expect(run.status == 65 && run.errors.contains(": \(message)"), "\(run.errors)")
    }

    @Test("checks the signature of a complete request, and compares its transaction with --transaction")
    func whole() throws {
        let token = Self.token(Self.request)
        let run = try keys.verified(token, by: keys.publicKey, ["--transaction", "2000000001"])
        #expect(run.status == 1 && run.output.contains("bad-signature"), "\(run.output)")
        let upper = try keys.verified(Self.token(Self.request, nonce: Self.nonce.uppercased()), by: keys.key)
        #expect(upper.status == 65 && upper.output.contains("claims.nonce is not a UUID in lower case"))
        let product = try keys.verified(token, by: keys.publicKey, ["--product", "p"])
        #expect(product.status == 64 && product.errors.contains("--product cannot be checked"))
    }
}
