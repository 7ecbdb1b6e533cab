public import System
public import Vocabulary

/// Why a file of `signingKeys` is not used.
public enum SigningKeyProblem: CodedError, Hashable {
    /// It is not there, or cannot be read.
    case unreadable(SystemCallError)
    /// A directory, a device, a FIFO.
    case notRegular
    /// Others than owner and group may use it.
    case exposed
    /// The group that may connect to the socket, nginx's, may use it.
    case socketGroup(name: String)
    /// It has a password.
    case encrypted
    /// A certificate or a public key.
    case notPrivate
    /// No PKCS #8 key in PEM: cut short, something else.
    case malformed
    /// A key, but not on P-256.
    case unsuitable

    /// `signing-key-` and what it is.
    public var code: String {
        switch self {
        case .unreadable: "signing-key-unreadable"
        case .notRegular: "signing-key-not-regular"
        case .exposed: "signing-key-exposed"
        case .socketGroup: "signing-key-socket-group"
        case .encrypted: "signing-key-encrypted"
        case .notPrivate: "signing-key-not-private"
        case .malformed: "signing-key-malformed"
        case .unsuitable: "signing-key-unsuitable"
        }
    }

    /// What it is and what mends it.
    public func description(path: String) -> String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .notRegular: "not a regular file"
        case .exposed: "others may use it; chmod o= \(path)"
        case .socketGroup(let name):
            "group \(name), to which nginx belongs, may use it; chgrp the group of the pool alone, or chmod 0600 \(path)"
        case .encrypted:
            "encrypted, and nobody is there to be asked for the password; use the .p8 file of App Store Connect"
        case .notPrivate: "a certificate or a public key, not a private key"
        case .malformed: "not one whole PKCS #8 key in PEM, as the .p8 files of App Store Connect are"
        case .unsuitable: "not a key on P-256, which ES256 takes"
        }
    }
}
