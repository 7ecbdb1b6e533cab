public import Cryptography
public import Vocabulary

/// Why a certificate cannot be an anchor. No chain below such a certificate would ever be valid.
public enum AnchorProblem: CodedError, Hashable, CaseIterable {
    /// basicConstraints is absent, not critical, or says that the certificate is not an authority.
    case notAuthority
    /// keyUsage is absent or lacks keyCertSign.
    case keyUsage
    /// Another authority issued the certificate, or the certificate's own key did not sign it.
    case notSelfSigned
    /// pathLenConstraint is 0, but Apple's chains have an intermediate below the anchor.
    case pathLength
    /// subjectKeyIdentifier is absent.
    case keyIdentifier
    /// The key is not on P-256 or P-384, and not RSA of at least 2048 bits.
    case keyUnsuitable

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

    /// The stable code.
    public var code: String {
        switch self {
        case .notAuthority: "anchor-not-authority"
        case .keyUsage: "anchor-key-usage"
        case .notSelfSigned: "anchor-not-self-signed"
        case .pathLength: "anchor-path-length"
        case .keyIdentifier: "anchor-key-identifier"
        case .keyUnsuitable: "anchor-key-unsuitable"
        }
    }

    /// A sentence part for people that says what is wrong with the certificate.
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
    /// True when certificates that a key of this kind signed are accepted.
    var isSuitableForAuthority: Bool {
        switch self {
        case .p256, .p384: true
        case .rsa(let bits): bits >= 2048
        default: false
        }
    }
}
