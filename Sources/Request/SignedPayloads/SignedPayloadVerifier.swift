public import Cryptography
internal import JSON
internal import Vocabulary

/// Turns bytes from outside into a ``VerifiedPayload``, or refuses them with a ``VerificationError``. It applies
/// Apple's policy for signed data, made stricter.
///
///     let app = AppIdentity(appAppleId: 6_745_974_591, bundleId: "com.example.app", environments: [.production])
///     let policy = VerificationPolicy(anchors: try AppleRoots.certificates(), apps: [app])
///     let verifier = try SignedPayloadVerifier(policy: policy)
///     let verified = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: now)
///     let subscriber = verified.payload.originalTransactionId
///
/// The steps, in their order: sizes; three parts in strict base64url; header; `alg`; `x5c`; the root is a configured
/// anchor; chain; marker extensions; signature over the received bytes; only then the payload, the certificates'
/// validity, the app and environment, and the age.
///
/// A verifier belongs to one thread, because it remembers encoded headers that were good, verified chains and
/// intermediates, and refused chains. It verifies the signature every time.
public final class SignedPayloadVerifier {
    let policy: VerificationPolicy
    /// The configured apps by their numbers.
    let apps: [Int64: KnownApp]
    /// The configured apps by their bundle identifiers, in the order of the policy.
    let appsOfBundle: [String: [KnownApp]]
    var trust: ChainTrust
    var signedDates = SignedDateOffsets()
    private var headers = HeaderMemory()

    /// A configured app and the anchors that may vouch for it.
    struct KnownApp {
        let identity: AppIdentity
        let anchors: Set<SHA256Digest>
    }

    /// Makes a verifier and loads the anchors of `policy`.
    ///
    /// - Throws: `anchors-none`, `anchors-unusable`.
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

    /// Verifies the body of a Get Retention Message request: `{"signedPayload": "…"}`.
    ///
    /// - Parameters:
    ///   - body: the request body as received.
    ///   - nowMilliseconds: the wall clock, milliseconds since 1970.
    /// - Returns: the request, with the proof that it passed every check.
    /// - Throws: the ``VerificationError`` of the first step that fails.
    public func verifyRealtimeRequest(body: Span<UInt8>, nowMilliseconds: Int64) throws(VerificationError)
        -> VerifiedPayload<RealtimeRequest>
    {
        try withSignedPayload(inBody: body) { text throws(VerificationError) in
            try self.realtimeRequest(text, nowMilliseconds: nowMilliseconds)
        }
    }

    /// Verifies a JWS without a body around it, like ``verifyRealtimeRequest(body:nowMilliseconds:)``.
    public func verifyRealtimeRequest(compact text: Span<UInt8>, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<RealtimeRequest>
    {
        try realtimeRequest(text, nowMilliseconds: nowMilliseconds)
    }

    /// Verifies any payload that Apple signed, up to and including the validity of its certificates. For people who
    /// inspect a payload; does not check the app or the environment.
    ///
    /// - Parameters:
    ///   - text: a JWS in compact serialization.
    ///   - milliseconds: the time at which the certificates must be valid, milliseconds since 1970.
    /// - Returns: the payload as text, with the proof that it passed these checks.
    /// - Throws: the ``VerificationError`` of the first step that fails.
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

    /// Verifies a chain that another worker has verified, so that the first request does not have to wait for it. A
    /// hint is never trusted: it goes through every check of a presented chain. Hints have a small budget of their own,
    /// so they do not compete with presented chains.
    ///
    /// - Returns: true when the chain is trusted now.
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

    /// Returns the leaves and intermediates that vouched for payloads which passed every check, since the last call. A
    /// certificate in use is returned about once a minute.
    public func takeUsedCertificates() -> [UsedCertificate] { trust.takeUsedCertificates() }

    /// Returns how far `signedDate` of verified payloads was ahead of the service's clock since the last call, in
    /// milliseconds. Includes payloads that were refused because of their date.
    public func takeSignedDateOffsets() -> [Int64] { signedDates.take() }

    /// The configured anchors.
    public var anchors: [UsedCertificate] { trust.anchorCertificates }

    /// How often the memories have saved work so far, hints included.
    public var counts: VerifierCounts { trust.counts }

    // MARK: - Steps

    /// A JWS whose signature is valid, with the chain that vouches for it.
    struct CheckedSignature {
        let jws: CompactJWS
        let chain: TrustedChain
        let wasCached: Bool
        let header: Header

        /// The encoded header: known before, or presented for the first time with this chain.
        enum Header {
            case known([UInt8])
            case new(ChainBytes)
        }
    }

    private func realtimeRequest(_ text: Span<UInt8>, nowMilliseconds: Int64) throws(VerificationError)
        -> VerifiedPayload<RealtimeRequest>
    {
        let signed = try verifySignature(of: text, nowMilliseconds: nowMilliseconds)
        let (request, environmentIsKnown) = try RealtimeRequest.read(signed.jws.payload.span)
        let time = policy.validityTime == .now ? nowMilliseconds : request.signedDate
        try checkValidity(of: signed.chain, at: time)
        guard let app = apps[request.appAppleId] else {
            throw VerificationError(.appUnknown, .app(request.appAppleId))
        }
        guard app.anchors.contains(signed.chain.anchor) else { throw .plain(.anchorNotForApp) }
        guard environmentIsKnown, request.environment != .xcode,
            app.identity.environments.contains(request.environment)
        else { throw .plain(.environmentNotConfigured) }
        try checkFreshness(of: request.signedDate, nowMilliseconds: nowMilliseconds)
        _ = accept(signed, of: text)
        trust.noteUse(of: signed.chain, atMilliseconds: nowMilliseconds)
        return VerifiedPayload(
            payload: request, anchor: signed.chain.anchor, chainWasCached: signed.wasCached)
    }

    /// Takes the steps up to and including the signature.
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

    /// Remembers the header and the chain of a payload that passed every check, and returns its JWS.
    func accept(_ signed: CheckedSignature, of text: Span<UInt8>) -> ReceivedJWS {
        let header: [UInt8]
        switch signed.header {
        case .known(let known): header = known
        case .new(let presented):
            trust.noteTrusted(signed.chain, presentedAs: presented)
            header = headers.remember(text.extracting(first: signed.jws.headerEnd), signed.chain)
        }
        return ReceivedJWS(header: header, payload: signed.jws.payload, signature: signed.jws.signature)
    }

    /// - Throws: `certificate-not-yet-valid`, `certificate-expired`.
    func checkValidity(of chain: TrustedChain, at milliseconds: Int64) throws(VerificationError) {
        try Refusal.mapped(to: VerificationError.plain, try chain.checkValidity(at: milliseconds))
    }

    /// - Throws: `signed-date-ahead`.
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
        signedDates.note(signedDate, nowMilliseconds: nowMilliseconds, onlyIfNewest: isTooOld)
        try checkNotAhead(signedDate, nowMilliseconds: nowMilliseconds)
        guard !isTooOld, !overflow else { throw .plain(.signedDateTooOld) }
    }
}

/// The JSON text of a verified payload of any kind.
public struct SignedJSONText: Sendable, Hashable {
    /// The JSON object in UTF-8.
    public let bytes: [UInt8]
}
