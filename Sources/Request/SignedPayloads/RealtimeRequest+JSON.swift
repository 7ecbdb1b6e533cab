internal import JSON
internal import Vocabulary

extension RealtimeRequest {
    /// Reads a payload whose signature was good. Types are exact: a number in a string is not a number. Members that
    /// are not known are passed over, since Apple has added some twice.
    ///
    /// `environment` is nil in the outcome when it is a string that names no environment we know.
    static func read(
        _ json: Span<UInt8>
    ) throws(VerificationError) -> (request: RealtimeRequest, environmentIsKnown: Bool) {
        let root = try Refusal.mapped(to: VerificationError.plain, try SignedJSON.object(json)).root
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
            originalTransactionId: originalTransactionId,
            appAppleId: appAppleId,
            productId: productId,
            userLocale: userLocale,
            requestIdentifier: requestIdentifier,
            environment: environment ?? .xcode,
            signedDate: signedDate
        )
        return (request, environment != nil)
    }
}

/// Exact reading of signed JSON objects.
enum SignedJSON {
    /// The object that `json` is.
    static func object(_ json: Span<UInt8>) throws(Refusal) -> JSONDocument {
        let limits = JSONLimits(
            byteCount: SignedPayloadsLimits.jsonByteCount,
            depth: SignedPayloadsLimits.jsonDepth
        )
        guard let document = try? JSONDocument(parsing: json, limits: limits), document.root.kind == .object
        else { throw .payloadNotJSON }
        return document
    }

    /// A member that must be a string of a bounded length, not empty.
    static func string(
        _ name: StaticString,
        of object: JSONValue
    ) throws(VerificationError) -> String {
        guard let value = object.member(name) else {
            throw VerificationError(.payloadMemberMissing, .member(name.description))
        }
        guard let text = value.string, !text.isEmpty,
            text.utf8.count <= SignedPayloadsLimits.identifierByteCount
        else { throw VerificationError(.payloadMemberMistyped, .member(name.description)) }
        return text
    }

    /// A member that must be an integer in Int64.
    static func integer(
        _ name: StaticString,
        of object: JSONValue
    ) throws(VerificationError) -> Int64 {
        guard let value = object.member(name) else {
            throw VerificationError(.payloadMemberMissing, .member(name.description))
        }
        guard let number = value.int64 else {
            throw VerificationError(.payloadMemberMistyped, .member(name.description))
        }
        return number
    }
}
