public import Cryptography
public import System

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
    /// True when certificates that a key of this kind signed are accepted.
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
