public import System
public import Vocabulary

/// Why the service does not use a file of the setting `signingKeys`.
public enum SigningKeyProblem: CodedError, Hashable {
    /// The file does not exist or cannot be read.
    case unreadable(SystemCallError)
    /// The file is a directory, a device, a FIFO or another special file.
    case notRegular
    /// Users other than the owner and the group may use the file.
    case exposed
    /// The group that may connect to the socket (nginx's group) may use the file.
    case socketGroup(name: String)
    /// The key is encrypted with a password.
    case encrypted
    /// The file has a certificate or a public key.
    case notPrivate
    /// The file is not one PKCS #8 key in PEM: it is cut short, or something else.
    case malformed
    /// The key is not on P-256.
    case unsuitable

    /// The stable code: `signing-key-` and the kind of problem.
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

    /// Returns a sentence that says what the problem is and, where it can be mended, how.
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
