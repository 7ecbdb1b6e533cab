internal import Cryptography
internal import Vocabulary

/// A configured root, loaded into OpenSSL's path validation.
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

    /// Verifies a chain below this root: signatures and constraints by OpenSSL (RFC 5280), then Apple's policy.
    ///
    /// - Parameters:
    ///   - presented: leaf, intermediate and this root.
    ///   - issuerIsVerified: whether the intermediate's own signature is already known to be good.
    /// - Returns: the chain with the leaf's key.
    /// - Throws: the refusals of the steps chain and markers, `x5c-not-der`, `crypto-openssl-failure`.
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
