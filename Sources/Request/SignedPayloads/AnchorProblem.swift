public import Cryptography
public import Vocabulary

/// Why a certificate cannot be an anchor: below it no chain would ever be valid.
public enum AnchorProblem: CodedError, Hashable, CaseIterable {
    /// basicConstraints is absent, not critical, or says that this is no authority.
    case notAuthority
    /// keyUsage is absent or lacks keyCertSign.
    case keyUsage
    /// It was issued by another authority, or its signature is not its own.
    case notSelfSigned
    /// pathLenConstraint is 0, but an intermediate stands below an anchor.
    case pathLength
    /// subjectKeyIdentifier is absent.
    case keyIdentifier
    /// The key is neither on P-256 or P-384 nor RSA of at least 2048 bits.
    case keyUnsuitable

    /// The first thing that keeps a certificate from being an anchor, nil when it can be one. Time is not asked: an anchor
    /// that has expired makes requests fail, but it is an anchor.
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

    /// What is wrong, for people.
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
    /// Whether certificates signed with such a key are accepted.
    var isSuitableForAuthority: Bool {
        switch self {
        case .p256, .p384: true
        case .rsa(let bits): bits >= 2048
        default: false
        }
    }
}
