public import Cryptography
public import System

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
    var isRemembered = false

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

/// Why a certificate cannot be an anchor. No chain below such a certificate would ever be valid.
public enum AnchorProblem: String, CodedError, Hashable, CaseIterable {
    case notAuthority = "anchor-not-authority"
    case keyUsage = "anchor-key-usage"
    case notSelfSigned = "anchor-not-self-signed"
    case pathLength = "anchor-path-length"
    case keyIdentifier = "anchor-key-identifier"
    case keyUnsuitable = "anchor-key-unsuitable"

    /// Finds the first reason why a certificate cannot be an anchor; nil when it can be one. Its validity period is not
    /// checked: an expired anchor makes requests fail, but it is an anchor.
    public init?(_ certificate: Certificate) {
        if !certificate.isAuthority || !certificate.hasCriticalBasicConstraints {
            self = .notAuthority
        } else if !certificate.maySignCertificates {
            self = .keyUsage
        } else if !certificate.isSelfSigned {
            self = .notSelfSigned
        } else if certificate.pathLength == 0 {
            self = .pathLength
        } else if !certificate.hasSubjectKeyIdentifier {
            self = .keyIdentifier
        } else if !certificate.keyKind.isSuitableForAuthority {
            self = .keyUnsuitable
        } else {
            return nil
        }
    }

    public var code: String { rawValue }

    public var reason: String {
        switch self {
        case .notAuthority: "is not a certificate authority (critical basicConstraints with CA:TRUE)"
        case .keyUsage: "may not sign certificates (keyUsage without keyCertSign)"
        case .notSelfSigned: "is not a root: another authority issued it"
        case .pathLength: "allows no intermediate below it (path length 0)"
        case .keyIdentifier: "has no subjectKeyIdentifier"
        case .keyUnsuitable: "has a key that is neither on P-256 or P-384 nor RSA of at least 2048 bits"
        }
    }
}

extension KeyKind {
    var isSuitableForAuthority: Bool {
        switch self {
        case .p256, .p384: true
        case .rsa(let bits): bits >= 2048
        default: false
        }
    }
}

public enum AnchorError: String, CodedError, Hashable {
    case damaged = "anchors-damaged"
    case none = "anchors-none"
    case unusable = "anchors-unusable"

    public var code: String { rawValue }
}

/// The roots of Apple's chains. They are trusted unless the configuration names other anchors.
///
/// Source: https://www.apple.com/certificateauthority/ . Each root is compared with its SHA-256 before use, so a
/// damaged copy is never trusted.
public enum AppleRoots {
    /// SHA-256 of Apple Root CA - G3 (P-384, valid until 2039-04-30).
    public static let g3Fingerprint = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    /// SHA-256 of Apple Root CA - G2 (RSA 4096, valid until 2039-04-30).
    public static let g2Fingerprint = "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"

    /// Returns Apple's G3 and G2 roots, in this order. Throws `anchors-damaged` when a built-in certificate does not have
    /// its fingerprint.
    public static func certificates() throws(AnchorError) -> [Certificate] {
        [try read(g3Text, g3Fingerprint), try read(g2Text, g2Fingerprint)]
    }

    private static func read(_ text: String, _ fingerprint: String) throws(AnchorError) -> Certificate {
        let encoded = text.utf8.filter { $0 != UInt8(ascii: "\n") }
        guard let der = Base64.decode(encoded.span),
            SHA256.hash(der.span).hexadecimal == fingerprint,
            let certificate = try? Certificate(der: der.span)
        else { throw .damaged }
        return certificate
    }

    private static let g3Text = """
        MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYD
        VQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
        MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFw
        cGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
        AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA
        /VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZL
        uN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
        6BgD56KyKA==
        """

    private static let g2Text = """
        MIIFkjCCA3qgAwIBAgIIAeDltYNno+AwDQYJKoZIhvcNAQEMBQAwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEcyMSYw
        JAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMw
        HhcNMTQwNDMwMTgxMDA5WhcNMzkwNDMwMTgxMDA5WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzIxJjAkBgNVBAsM
        HUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzCCAiIwDQYJ
        KoZIhvcNAQEBBQADggIPADCCAgoCggIBANgREkhI2imKScUcx+xuM23+TfvgHN6sXuI2pyT5f1BrTM65MFQn5bPW7SXmMLYF
        N14UIhHF6Kob0vuy0gmVOKTvKkmMXT5xZgM4+xb1hYjkWpIMBDLyyED7Ul+f9sDx47pFoFDVEovy3d6RhiPw9bZyLgHaC/Yu
        OQhfGaFjQQscp5TBhsRTL3b2CtcM0YM/GlMZ81fVJ3/8E7j4ko380yhDPLVoACVdJ2LT3VXdRCCQgzWTxb+4Gftr49wIQuav
        bfqeQMpOhYV4SbHXw8EwOTKrfl+q04tvny0aIWhwZ7Oj8ZhBbZF8+NfbqOdfIRqMM78xdLe40fTgIvS/cjTf94FNcX1RoeKz
        8NMoFnNvzcytN31O661A4T+B/fc9Cj6i8b0xlilZ3MIZgIxbdMYs0xBTJh0UT8TUgWY8h2czJxQI6bR3hDRSj4n4aJgXv8O7
        qhOTH11UL6jHfPsNFL4VPSQ08prcdUFmIrQB1guvkJ4M6mL4m1k8COKWNORj3rw31OsMiANDC1CvoDTdUE0V+1ok2Az6DGOe
        HwOx4e7hqkP0ZmUoNwIx7wHHHtHMn23KVDpA287PT0aLSmWaasZobNfMmRtHsHLDd4/E92GcdB/O/WuhwpyUgquUoue9G7q5
        cDmVF8Up8zlYNPXEpMZ7YLlmQ1A/bmH8DvmGqmAMQ0uVAgMBAAGjQjBAMB0GA1UdDgQWBBTEmRNsGAPCe8CjoA1/coB6HHcm
        jTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjANBgkqhkiG9w0BAQwFAAOCAgEAUabz4vS4PZO/Lc4Pu1vhVRRO
        TtHlznldgX/+tvCHM/jvlOV+3Gp5pxy+8JS3ptEwnMgNCnWefZKVfhidfsJxaXwU6s+DDuQUQp50DhDNqxq6EWGBeNjxtUVA
        eKuowM77fWM3aPbn+6/Gw0vsHzYmE1SGlHKy6gLti23kDKaQwFd1z4xCfVzmMX3zybKSaUYOiPjjLUKyOKimGY3xn83uamW8
        GrAlvacp/fQ+onVJv57byfenHmOZ4VxG/5IFjPoeIPmGlFYl5bRXOJ3riGQUIUkhOb9iZqmxospvPyFgxYnURTbImHy99v6Z
        SYA7LNKmp4gDBDEZt7Y6YUX6yfIjyGNzv1aJMbDZfGKnexWoiIqrOEDCzBL/FePwN983csvMmOa/orz6JopxVtfnJBtIRD6e
        /J/JzBrsQzwBvDR4yGn1xuZW7AYJNpDrFEobXsmII9oDMJELuDY++ee1KG++P+w8j2Ud5cAeh6Squpj9kuNsJnfdBrRkBof0
        Tta6SqoWqPQFZ2aWuuJVecMsXUmPgEkrihLHdoBR37q9ZV0+N0djMenl9MU/S60EinpxLK8JQzcPqOMyT/RFtm2XNuyE9QoB
        6he7hY1Ck3DDUOUUi78/w0EP3SIEIwiKum1xRKtzCTrJ+VKACd+66eYWyi4uTLLT3OUEVLLUNIAytbwPF+E=
        """
}
