internal import Cryptography
internal import JSON
internal import Vocabulary

/// Builds a SubscriptionModifyInAppRequest of the Advanced Commerce API from the template in the rules and from the
/// values that are known only when it is signed.
///
/// The template has `changeItems` with one element and any other members of the request. The members `operation`,
/// `version`, `transactionId` and `requestInfo.requestReferenceId` are not in the template; they are added here.
enum AdvancedCommerceRequest {
    static let operation = "MODIFY_SUBSCRIPTION"
    static let version = "1"
    /// The limits of a template. A usual template has a few hundred bytes; one beyond 16 KiB would not fit an answer
    /// well.
    static let limits = JSONLimits(byteCount: 16 << 10, depth: 8)

    /// Returns the JSON text of the request.
    ///
    /// - Throws: `offer-signing.template-invalid` when the template is not a JSON object within ``limits``.
    static func json(template: String, transactionId: String, requestReferenceId: UUID)
        throws(OfferSigningError) -> [UInt8]
    {
        guard let document = try? JSONDocument(parsing: template.utf8Span.span, limits: limits),
            document.root.kind == .object
        else { throw .templateInvalid }
        let own: Set<String> = ["operation", "version", "transactionId", "requestInfo"]
        let reference = ("requestReferenceId", JSONNode.string(requestReferenceId.description))
        let given = document.root.member("requestInfo").map { $0.members } ?? []
        let info = given.filter { $0.name != reference.0 }.map { ($0.name, JSONNode($0.value)) }
        let rest = document.root.members.filter { !own.contains($0.name) }
            .map { ($0.name, JSONNode($0.value)) }
        return JSONNode.object(
            [
                ("operation", .string(operation)), ("version", .string(version)),
                ("requestInfo", .object([reference] + info)), ("transactionId", .string(transactionId)),
            ] + rest
        ).serialized()
    }

    /// Returns the value of `advancedCommerceData`: a JSON object around the signed request, in base64.
    static func data(around token: String) -> String {
        let object = JSONNode.object([("signatureInfo", .object([("token", .string(token))]))]).serialized()
        return String(decoding: Base64.encode(object.span), as: UTF8.self)
    }
}
