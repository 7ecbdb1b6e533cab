internal import Cryptography
@testable package import SignedPayloads

/// The bodies of the fuzzers of SignedPayloads. They are here so that the tests can replay the inputs that the fuzzers
/// found.
package struct SignedPayloadsFuzz {
    private let verifier: SignedPayloadVerifier

    package init() throws(AnchorError) {
        verifier = try Self.verifier()
    }

    static func verifier() throws(AnchorError) -> SignedPayloadVerifier {
        let policy = VerificationPolicy(
            anchors: try AppleRoots.certificates(), apps: [], unseenChains: .unlimited)
        return try SignedPayloadVerifier(policy: policy)
    }

    /// Takes a whole request body through every step of the verification. No body may pass, because the fuzzer has no
    /// key of Apple's.
    package func requestBody(_ bytes: Span<UInt8>) {
        let verified = try? verifier.verifyRealtimeRequest(body: bytes, nowMilliseconds: 1_780_272_000_000)
        precondition(verified == nil, "a body passed without a signature of Apple's")
    }

    /// Splits a compact JWS. The parts must cover the text, and payload and signature must encode to texts of the
    /// original lengths.
    package static func compactJWS(_ bytes: Span<UInt8>) {
        guard let jws = try? CompactJWS(bytes) else { return }
        let payload = Base64URL.encode(jws.payload.span)
        let signature = Base64URL.encode(jws.signature.span)
        precondition(jws.headerEnd + 1 + payload.count == jws.signingInputEnd)
        precondition(jws.signingInputEnd + 1 + signature.count == bytes.count)
        if let header = Base64URL.decode(bytes.extracting(first: jws.headerEnd)) {
            _ = try? JOSEHeader(header.span)
        }
    }

    /// Decodes base64url and base64. An accepted text must be the only text for its bytes: encoding the bytes must give
    /// the text again.
    package static func base64(_ bytes: Span<UInt8>) {
        if let decoded = Base64URL.decode(bytes) {
            let again = Base64URL.encode(decoded.span)
            precondition(ByteComparison.areEqual(again.span, bytes))
        }
        if let decoded = Base64.decode(bytes) {
            let again = Base64.encode(decoded.span)
            precondition(ByteComparison.areEqual(again.span, bytes))
        }
    }

    package static func payload(_ bytes: Span<UInt8>) {
        guard let found = try? RealtimeRequest.read(bytes) else { return }
        precondition(!found.request.productId.isEmpty && !found.request.originalTransactionId.isEmpty)
    }

    package func chain(_ bytes: Span<UInt8>) {
        guard let chain = ChainBytes(serialized: bytes) else { return }
        let written = chain.serialized
        precondition(ByteComparison.areEqual(written.span, bytes))
        _ = verifier.warm(chain, nowMilliseconds: 1_780_272_000_000)
        for der in chain.certificates { Self.describe(der) }
    }

    private static func describe(_ der: [UInt8]) {
        guard let certificate = try? Certificate(der: der.span) else { return }
        _ = certificate.subject
        _ = certificate.issuer
        _ = certificate.keyKind
        _ = certificate.notBeforeMilliseconds
        _ = certificate.notAfterMilliseconds
        _ = certificate.hasExtension(MarkerOID.leaf)
    }
}
