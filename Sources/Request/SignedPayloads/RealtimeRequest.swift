internal import JSON
public import System

/// The App Store server's request: Apple's DecodedRealtimeRequestBody. All members are required.
public struct RealtimeRequest: Sendable, Hashable {
    /// The subscriber's original transaction identifier. It is an opaque string; in practice it has only digits.
    public let originalTransactionId: String
    public let appAppleId: Int64
    public let productId: String
    /// The locale of the subscriber's device, such as `en-US`; case-sensitive.
    public let userLocale: String
    public let requestIdentifier: UUID
    /// Sandbox or Production; LocalTesting for test traffic.
    public let environment: Environment
    /// Milliseconds since 1970.
    public let signedDate: Int64
}

extension RealtimeRequest {
    /// Reads a payload whose signature is valid. Types are exact: a number in a string is not a number. Unknown members are
    /// ignored, because Apple has added members twice. Returns the request, and whether its `environment` is a known one. If
    /// it is not, the request has `.xcode`, which the verifier refuses.
    static func read(
        _ json: Span<UInt8>
    ) throws(VerificationError) -> (request: RealtimeRequest, environmentIsKnown: Bool) {
        let root = try SignedJSON.object(json).root
        let originalTransactionId = try SignedJSON.string("originalTransactionId", of: root)
        let appAppleId = try SignedJSON.integer("appAppleId", of: root)
        let productId = try SignedJSON.string("productId", of: root)
        let userLocale = try SignedJSON.string("userLocale", of: root)
        let identifier = try SignedJSON.string("requestIdentifier", of: root)
        let environmentName = try SignedJSON.string("environment", of: root)
        let signedDate = try SignedJSON.integer("signedDate", of: root)
        guard let requestIdentifier = UUID(identifier) else { throw .plain(.requestIdentifierNotUUID) }
        let environment = Environment(rawValue: environmentName)
        let request = RealtimeRequest(
            originalTransactionId: originalTransactionId, appAppleId: appAppleId, productId: productId,
            userLocale: userLocale, requestIdentifier: requestIdentifier, environment: environment ?? .xcode,
            signedDate: signedDate)
        return (request, environment != nil)
    }
}

enum SignedJSON {
    /// Parses `json`, which must be an object. An object with a name twice is refused, as RFC 7519 (section 4) allows: of two
    /// identities, nobody can say which one Apple meant. Throws `payload-not-json`.
    static func object(
        _ json: Span<UInt8>, byteCount: Int = SignedPayloadsLimits.jsonByteCount,
        depth: Int = SignedPayloadsLimits.jsonDepth
    ) throws(VerificationError) -> JSONDocument {
        let limits = JSONLimits(byteCount: byteCount, depth: depth)
        guard let document = try? JSONDocument(parsing: json, limits: limits), document.root.kind == .object
        else { throw .plain(.payloadNotJSON) }
        return document
    }

    static func string(
        _ name: StaticString, of object: JSONValue, byteCount: Int = SignedPayloadsLimits.identifierByteCount
    ) throws(VerificationError) -> String {
        guard let value = object.member(name) else {
            throw VerificationError(.payloadMemberMissing, .member(name.description))
        }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= byteCount else {
            throw VerificationError(.payloadMemberMistyped, .member(name.description))
        }
        return text
    }

    static func integer(_ name: StaticString, of object: JSONValue) throws(VerificationError) -> Int64 {
        guard let value = object.member(name) else {
            throw VerificationError(.payloadMemberMissing, .member(name.description))
        }
        guard let number = value.int64 else {
            throw VerificationError(.payloadMemberMistyped, .member(name.description))
        }
        return number
    }
}
