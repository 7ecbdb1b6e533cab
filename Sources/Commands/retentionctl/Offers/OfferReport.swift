internal import JSON
internal import OfferSigning
internal import Vocabulary

/// The result of checking a signature, as text and as JSON.
struct OfferReport {
    let offer: UnverifiedOffer
    /// The reason why the signature is refused; nil when it is good.
    let refusal: Refusal?

    /// The reasons to refuse a signature.
    enum Refusal: String {
        /// The key did not sign this text.
        case badSignature = "bad-signature"
        /// The signature is for another app than the user asked for.
        case otherApp = "other-app"
        /// The signature is for another product.
        case otherProduct = "other-product"
        /// The signature is for another offer.
        case otherOffer = "other-offer"
        /// The signature is for another subscriber's transaction.
        case otherTransaction = "other-transaction"
    }

    private var isGood: Bool { refusal == nil }

    private var header: JSONNode? {
        if case .token(let token) = offer { token.header } else { nil }
    }

    private var claims: JSONNode {
        switch offer {
        case .fields(let fields): JSONNode(parsing: fields.object.finished()) ?? .null
        case .token(let token): token.claims
        }
    }

    private var request: JSONNode? {
        if case .token(let token) = offer { token.request } else { nil }
    }

    private var signedAtMilliseconds: Int64? {
        switch offer {
        case .fields(let fields): fields.timestamp
        case .token(let token):
            token.issuedAtSeconds.multipliedReportingOverflow(by: 1000).overflow
                ? nil : token.issuedAtSeconds * 1000
        }
    }

    /// The report as one JSON document. Unverified claims have another member name than verified ones.
    var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("verified", .boolean(isGood)), ("form", .string(offer.form.rawValue)),
        ]
        if let refusal { members.append(("refusal", .string(refusal.rawValue))) }
        if let header { members.append((isGood ? "header" : "unverifiedHeader", header)) }
        members.append((isGood ? "claims" : "unverifiedClaims", claims))
        if let request { members.append((isGood ? "request" : "unverifiedRequest", request)) }
        return .object(members)
    }

    var lines: [String] {
        let verdict =
            switch refusal {
            case .badSignature?: "bad signature: this key has not signed what is there"
            case .otherApp?: "good signature, of another app"
            case .otherProduct?: "good signature, of another product"
            case .otherOffer?: "good signature, of another offer"
            case .otherTransaction?: "good signature, of another transaction"
            case nil: "good signature"
            }
        var lines = [verdict, "  \(offer.form.rawValue)"]
        let suffix = isGood ? "" : " as presented"
        if let header { lines += ["header\(suffix)"] + Self.table(header) }
        let name = header == nil ? "fields" : "claims"
        lines += ["\(name)\(suffix)"] + Self.table(claims)
        if let request {
            let pretty = String(decoding: request.serialized(pretty: true), as: UTF8.self)
            lines += ["request\(suffix)"] + pretty.split(separator: "\n").map { "  \($0)" }
        }
        if let signedAtMilliseconds {
            lines.append("signed\(suffix) \(CivilTime(milliseconds: signedAtMilliseconds))")
        }
        return lines
    }

    private static func table(_ object: JSONNode) -> [String] {
        guard case .object(let members) = object else { return [] }
        let width = members.map(\.0.count).max() ?? 0
        return members.map { name, value in
            let space = String(repeating: " ", count: width - name.count)
            if case .string(let text) = value { return "  \(name)\(space)  \(text)" }
            return "  \(name)\(space)  \(String(decoding: value.serialized(), as: UTF8.self))"
        }
    }
}
