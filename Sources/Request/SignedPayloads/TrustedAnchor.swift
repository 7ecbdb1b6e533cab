internal import Cryptography
internal import System

final class TrustedAnchor {
    let certificate: Certificate
    let fingerprint: SHA256Digest
    private let verifier: ChainVerifier

    init(_ certificate: Certificate) throws(AnchorError) {
        do {
            verifier = try ChainVerifier(anchor: certificate)
        } catch {
            throw .unusable
        }
        self.certificate = certificate
        fingerprint = certificate.fingerprint
    }

    func verify(_ presented: ChainBytes, issuerIsVerified: Bool) throws(VerificationError) -> TrustedChain {
        let (leafDER, intermediateDER) = (presented.certificates[0], presented.certificates[1])
        guard let leaf = try? Certificate(der: leafDER.span),
            let intermediate = try? Certificate(der: intermediateDER.span)
        else { throw .plain(.x5cNotDER) }
        let failure = verifier.failure(
            leaf: leaf, intermediate: intermediate, issuerIsVerified: issuerIsVerified)
        switch failure {
        case .none: break
        case .opensslFailure?: throw .plain(.opensslFailure)
        case .refused(let number, let depth)?:
            throw VerificationError(.chainInvalid, .chain(.refused(number: number, depth: depth)))
        case .otherChain?: throw VerificationError(.chainInvalid, .chain(.otherChain))
        }
        return try Refusal.mapped(
            to: VerificationError.plain, try chain(leaf: leaf, intermediate: intermediate))
    }

    private func chain(leaf: Certificate, intermediate: Certificate) throws(Refusal) -> TrustedChain {
        try AppleChainPolicy.check(leaf: leaf, intermediate: intermediate)
        var notBefore = Int64.min
        var notAfter = Int64.max
        for certificate in [leaf, intermediate, certificate] {
            guard let start = certificate.notBeforeMilliseconds, let end = certificate.notAfterMilliseconds
            else { throw .x5cNotDER }
            notBefore = max(notBefore, start)
            notAfter = min(notAfter, end)
        }
        guard let key = try? ES256Verifier(keyOf: leaf) else { throw .opensslFailure }
        return TrustedChain(
            key: key,
            anchor: fingerprint,
            notBeforeMilliseconds: notBefore,
            notAfterMilliseconds: notAfter,
            certificates: [
                UsedCertificate(leaf, as: .leaf), UsedCertificate(intermediate, as: .intermediate),
            ].compactMap { $0 }
        )
    }
}

final class TrustedChain {
    let key: ES256Verifier
    let anchor: SHA256Digest
    let notBeforeMilliseconds: Int64
    /// The earliest notAfter of the three certificates, milliseconds since 1970. The second of notAfter is still valid
    /// (RFC 5280 4.1.2.5).
    let notAfterMilliseconds: Int64
    let certificates: [UsedCertificate]
    /// When ``ChainTrust/noteUse(of:atMilliseconds:)`` last noted the chain, in milliseconds since 1970; nil before.
    var useNotedAt: Int64?
    var isNotedForSending = false

    init(
        key: ES256Verifier, anchor: SHA256Digest, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64,
        certificates: [UsedCertificate]
    ) {
        self.key = key
        self.anchor = anchor
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
        self.certificates = certificates
    }

    func checkValidity(at milliseconds: Int64) throws(Refusal) {
        guard milliseconds >= notBeforeMilliseconds else { throw .certificateNotYetValid }
        guard milliseconds < notAfterMilliseconds.addingReportingOverflow(1000).partialValue else {
            throw .certificateExpired
        }
    }
}

/// Apple's own requirements for certificates, beyond X.509: keys, usages and marker extensions.
enum AppleChainPolicy {
    static func check(leaf: Certificate, intermediate: Certificate) throws(Refusal) {
        guard intermediate.keyKind.isSuitableForAuthority else { throw .intermediateKey }
        guard leaf.keyKind == .p256 else { throw .leafKey }
        guard maySignData(leaf) else { throw .leafUsage }
        guard leaf.hasExtension(MarkerOID.leaf) else { throw .leafMarkerMissing }
        guard intermediate.hasExtension(MarkerOID.intermediate) else { throw .intermediateMarkerMissing }
    }

    /// Returns true when the leaf says what Apple's leaves say: it is not an authority, and keyUsage has
    /// digitalSignature. Apple's leaves have no critical extendedKeyUsage. If a leaf has one, it must name any purpose
    /// (anyExtendedKeyUsage) or a purpose of Apple's own.
    private static func maySignData(_ leaf: Certificate) -> Bool {
        guard !leaf.isAuthority, leaf.maySignData else { return false }
        guard let purposes = leaf.criticalPurposes else { return true }
        return purposes.contains { $0 == "2.5.29.37.0" || $0.hasPrefix("1.2.840.113635.100.4.") }
    }
}

/// Apple's marker extensions. Only their presence counts; their value is ASN.1 NULL.
///
/// Source: Apple, JWSDecodedHeader `x5c`.
public enum MarkerOID {
    public static let leaf: StaticString = "1.2.840.113635.100.6.11.1"
    public static let intermediate: StaticString = "1.2.840.113635.100.6.2.1"
}
