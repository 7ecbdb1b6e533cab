public import Cryptography
internal import JSON
public import System

/// Turns bytes from outside into a ``VerifiedPayload``, or refuses them with a ``VerificationError``. It applies Apple's
/// policy for signed data, made stricter.
///
/// The steps, in their order: sizes; three parts in strict base64url; header; `alg`; `x5c`; the root is a configured anchor;
/// chain; marker extensions; signature over the received bytes; only then the payload, the certificates' validity, the app
/// and environment, and the age.
///
/// A verifier belongs to one thread, because it remembers headers and chains. It verifies the signature every time.
public final class SignedPayloadVerifier {
    let policy: VerificationPolicy
    let apps: [Int64: KnownApp]
    let appsOfBundle: [String: [KnownApp]]
    var trust: ChainTrust
    var signedDates = SignedDateOffsets()
    private var headers = HeaderMemory()

    struct KnownApp {
        let identity: AppIdentity
        let anchors: Set<SHA256Digest>
    }

    public init(policy: VerificationPolicy) throws(AnchorError) {
        self.policy = policy
        trust = try ChainTrust(policy: policy)
        let shared = Set(policy.anchors.map(\.fingerprint))
        let known = policy.apps.map { app in
            KnownApp(identity: app, anchors: app.anchors.map { Set($0.map(\.fingerprint)) } ?? shared)
        }
        apps = Dictionary(known.map { ($0.identity.appAppleId, $0) }, uniquingKeysWith: { _, last in last })
        appsOfBundle = Dictionary(grouping: known) { $0.identity.bundleId }
    }

    public func verifyRealtimeRequest(body: Span<UInt8>, nowMilliseconds: Int64) throws(VerificationError)
        -> VerifiedPayload<RealtimeRequest>
    {
        try withSignedPayload(inBody: body) { text throws(VerificationError) in
            try self.verifyRealtimeRequest(compact: text, nowMilliseconds: nowMilliseconds)
        }
    }

    /// Verifies any payload that Apple signed, up to and including the validity of its certificates. For people who inspect
    /// a payload; does not check the app or the environment. Returns the payload as text, with the proof that it passed
    /// these checks.
    public func verifyAny(compact text: Span<UInt8>, atMilliseconds milliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<SignedJSONText>
    {
        let signed = try verifySignature(of: text, nowMilliseconds: milliseconds)
        _ = try storedObject(signed.jws.payload.span)
        try checkValidity(of: signed.chain, at: milliseconds)
        return VerifiedPayload(
            payload: SignedJSONText(bytes: signed.jws.payload), anchor: signed.chain.anchor,
            chainWasCached: signed.wasCached)
    }

    /// Verifies a chain that another worker has verified, so that the first request does not have to wait for it. A hint is
    /// never trusted: it goes through every check of a presented chain. Hints have a small budget of their own, so they do
    /// not compete with presented chains. Returns true when the chain is trusted now.
    public func warm(_ hint: ChainBytes, nowMilliseconds: Int64) -> Bool {
        guard
            hint.certificates.allSatisfy({
                $0.count <= SignedPayloadsLimits.certificateByteCount && Certificate.hasOuterShape($0.span)
            })
        else { return false }
        let result = try? trust.trust(hint, by: .worker, nowMilliseconds: nowMilliseconds)
        return result != nil
    }

    /// Returns the next chain that has vouched for a payload which passed every check, as a hint for other workers; nil
    /// when there is no further chain. Each chain is returned once. A chain that was only presented is never returned.
    public func takeVerifiedChain() -> ChainBytes? { trust.takeVerifiedChain() }

    /// Returns the leaf and the intermediate that vouched for the last payload which passed every check since the last call.
    public func takeUsedCertificates() -> [UsedCertificate] { trust.takeUsedCertificates() }

    /// Returns how far `signedDate` of the last verified payload since the last call was ahead of the service's clock,
    /// in milliseconds. It may have been refused because of its date.
    public func takeSignedDateOffset() -> Int64? { signedDates.take() }

    public var anchors: [UsedCertificate] { trust.anchorCertificates }
    public var counts: VerifierCounts { trust.counts }

    // MARK: - Steps

    struct CheckedSignature {
        let jws: CompactJWS
        let chain: TrustedChain
        let wasCached: Bool
        let header: Header

        enum Header {
            case known([UInt8])
            case new(ChainBytes)
        }
    }

    public func verifyRealtimeRequest(compact text: Span<UInt8>, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<RealtimeRequest>
    {
        let signed = try verifySignature(of: text, nowMilliseconds: nowMilliseconds)
        let (request, environmentIsKnown) = try RealtimeRequest.read(signed.jws.payload.span)
        try checkValidity(of: signed.chain, at: nowMilliseconds)
        guard let app = apps[request.appAppleId] else {
            throw VerificationError(.appUnknown, .app(request.appAppleId))
        }
        guard app.anchors.contains(signed.chain.anchor) else { throw .plain(.anchorNotForApp) }
        guard environmentIsKnown, request.environment != .xcode,
            app.identity.environments.contains(request.environment)
        else { throw .plain(.environmentNotConfigured) }
        try checkFreshness(of: request.signedDate, nowMilliseconds: nowMilliseconds)
        _ = accept(signed, of: text)
        trust.rememberUse(of: signed.chain)
        return VerifiedPayload(
            payload: request, anchor: signed.chain.anchor, chainWasCached: signed.wasCached)
    }

    func verifySignature(
        of text: Span<UInt8>, by presenter: ChainTrust.Presenter = .request, nowMilliseconds: Int64
    ) throws(VerificationError) -> CheckedSignature {
        let known = headers.find(text)
        let jws = try Refusal.mapped(
            to: VerificationError.plain, try CompactJWS(text, knownHeaderEnd: known?.header.count))
        let chain: TrustedChain
        var wasCached = true
        let header: CheckedSignature.Header
        if let known {
            chain = known.chain
            header = .known(known.header)
            trust.countKnownChain()
        } else {
            guard let decoded = Base64URL.decode(text.extracting(first: jws.headerEnd)) else {
                throw .plain(.badBase64URL)
            }
            let bytes = try Refusal.mapped(to: VerificationError.plain, try JOSEHeader(decoded.span)).chain
            let result = try trust.trust(bytes, by: presenter, nowMilliseconds: nowMilliseconds)
            header = .new(bytes)
            chain = result.chain
            wasCached = result.wasCached
        }
        guard jws.signature.count == ES256Verifier.signatureByteCount else {
            throw .plain(.signatureMalformed)
        }
        let signed = text.extracting(first: jws.signingInputEnd)
        guard chain.key.isValid(signature: jws.signature.span, for: signed) else {
            throw .plain(.signatureInvalid)
        }
        return CheckedSignature(jws: jws, chain: chain, wasCached: wasCached, header: header)
    }

    func accept(_ signed: CheckedSignature, of text: Span<UInt8>) -> ReceivedJWS {
        let header: [UInt8]
        switch signed.header {
        case .known(let known): header = known
        case .new(let presented):
            trust.rememberTrusted(signed.chain, presentedAs: presented)
            header = headers.remember(text.extracting(first: signed.jws.headerEnd), signed.chain)
        }
        return ReceivedJWS(header: header, payload: signed.jws.payload, signature: signed.jws.signature)
    }

    func checkValidity(of chain: TrustedChain, at milliseconds: Int64) throws(VerificationError) {
        try Refusal.mapped(to: VerificationError.plain, try chain.checkValidity(at: milliseconds))
    }

    func checkNotAhead(_ signedDate: Int64, nowMilliseconds: Int64) throws(VerificationError) {
        let (limit, overflow) = nowMilliseconds.addingReportingOverflow(
            SignedPayloadsLimits.signedAheadMilliseconds
        )
        guard overflow || signedDate <= limit else { throw .plain(.signedDateAhead) }
    }

    private func checkFreshness(of signedDate: Int64, nowMilliseconds: Int64) throws(VerificationError) {
        let (age, overflow) = nowMilliseconds.subtractingReportingOverflow(signedDate)
        let limit = min(policy.maxSignedAgeSeconds, SignedPayloadsLimits.signedAgeSeconds)
        // The subtraction overflows when the two times are at opposite ends of Int64.
        let isTooOld = age > 0 && limit > 0 && age > limit * 1000 || overflow && signedDate < nowMilliseconds
        signedDates.add(signedDate, nowMilliseconds: nowMilliseconds, onlyIfNewest: isTooOld)
        try checkNotAhead(signedDate, nowMilliseconds: nowMilliseconds)
        guard !isTooOld, !overflow else { throw .plain(.signedDateTooOld) }
    }
}

public struct SignedJSONText: Sendable, Hashable {
    public let bytes: [UInt8]
}

extension SignedPayloadVerifier {
    /// Lends the JWS in a body `{"signedPayload": "…"}` to `verify`. A body in the exact form that Apple's server sends,
    /// `{"signedPayload":"…"}` without white space, is split in place without a parser. If the text between the quotes
    /// passes as three parts of strict base64url, it has no quote and no escape, so a JSON parser would have found the same
    /// text. The JSON parser reads any other body. Throws `body-not-json`, `signed-payload-missing`, or what `verify`
    /// throws.
    public func withSignedPayload<Outcome>(
        inBody body: Span<UInt8>, _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        try withSignedPayload(inBody: body, else: { _ in .signedPayloadMissing }, verify)
    }

    /// Lends the JWS as ``withSignedPayload(inBody:_:)`` does. Throws what `refusal` returns for an object without a string
    /// `signedPayload`.
    func withSignedPayload<Outcome>(
        inBody body: Span<UInt8>, else refusal: (JSONValue) -> Refusal,
        _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        let prefix = Self.prefix
        if body.count > prefix.count + Self.suffix.count, Self.hasExactForm(body) {
            let text = body.extracting(prefix.count..<body.count - Self.suffix.count)
            do throws(VerificationError) {
                return try verify(text)
            } catch {
                guard error.refusal.step == .compactSerialization, !Self.isPlain(text) else { throw error }
            }
        }
        return try parse(body, else: refusal, verify)
    }

    private func parse<Outcome>(
        _ body: Span<UInt8>,
        else refusal: (JSONValue) -> Refusal,
        _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        let limits = JSONLimits(byteCount: policy.jsonByteCount, depth: SignedPayloadsLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: body, limits: limits), document.root.kind == .object
        else { throw .plain(.bodyNotJSON) }
        guard let value = document.root.member("signedPayload"), value.kind == .string,
            let outcome = try value.withUTF8(verify)
        else { throw .plain(refusal(document.root)) }
        return outcome
    }

    private static let prefix = Array(#"{"signedPayload":""#.utf8)
    private static let suffix = Array(#""}"#.utf8)

    private static func hasExactForm(_ body: Span<UInt8>) -> Bool {
        for index in prefix.indices where body[index] != prefix[index] { return false }
        return body[body.count - 2] == suffix[0] && body[body.count - 1] == suffix[1]
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                return false
            }
        }
        return true
    }
}

/// How far `signedDate` of verified payloads was ahead of the service's clock. When Apple signs, its clock is right, so
/// these offsets say whether the service's clock is.
struct SignedDateOffsets {
    private var latest = Int64.min
    private var offset: Int64?

    /// Adds the date of a payload whose signature is good and whose app is known. With `onlyIfNewest`, a payload counts
    /// only when no other was signed later: somebody may send an old one again, and Apple repeats notifications. Returns
    /// true when no other payload was signed later.
    @discardableResult
    mutating func add(_ signedDate: Int64, nowMilliseconds: Int64, onlyIfNewest: Bool) -> Bool {
        let isNewest = signedDate > latest
        latest = max(latest, signedDate)
        let (offset, overflow) = signedDate.subtractingReportingOverflow(nowMilliseconds)
        if isNewest || !onlyIfNewest, !overflow { self.offset = offset }
        return isNewest
    }

    mutating func take() -> Int64? {
        defer { offset = nil }
        return offset
    }
}

/// A payload with the proof that it passed every check. Only a ``SignedPayloadVerifier`` can make this value, and the
/// rest of the service accepts no payload without it.
public struct VerifiedPayload<Payload: Sendable>: Sendable {
    public let payload: Payload
    public let anchor: SHA256Digest
    public let chainWasCached: Bool
}

/// The App Store server's request: Apple's DecodedRealtimeRequestBody. All members are required.
public struct RealtimeRequest: Sendable, Hashable {
    /// The subscriber's original transaction identifier. It is an opaque string; in practice it has only digits.
    public let originalTransactionId: String
    public let appAppleId: Int64
    public let productId: String
    /// The locale of the subscriber's device, such as `en-US`; case-sensitive.
    public let userLocale: String
    public let requestIdentifier: UUID
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
