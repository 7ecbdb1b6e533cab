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
    /// The file is not one PKCS #8 key in PEM: it is cut short, or something else. The message names a common mistake.
    case malformed(SigningKeyMistake?)
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
        case .malformed(let mistake?): mistake.description(path: path)
        case .malformed(nil): "not one whole PKCS #8 key in PEM, as the .p8 files of App Store Connect are"
        case .unsuitable: "not a key on P-256, which ES256 takes"
        }
    }
}

/// What has often happened to a key on its way from App Store Connect through editors, variables and secret stores.
public enum SigningKeyMistake: Sendable, Hashable {
    /// An editor wrote a byte order mark before the text.
    case byteOrderMark
    /// An editor or a shell wrote the text as UTF-16.
    case utf16
    /// Base64 of the whole file, as in many secret stores.
    case base64
    /// A backslash and an `n` in place of each line break, as in JSON and in variables.
    case escapedLineBreaks
    /// The form of `openssl ecparam -genkey`, not PKCS #8.
    case sec1

    /// Finds the mistake in a text that is no key.
    public init?(_ text: Span<UInt8>) {
        func has(_ bytes: [UInt8], at start: Int) -> Bool {
            text.count - start >= bytes.count && bytes.indices.allSatisfy { text[start + $0] == bytes[$0] }
        }
        func has(_ bytes: [UInt8]) -> Bool { text.indices.contains { has(bytes, at: $0) } }
        if has([0xEF, 0xBB, 0xBF], at: 0) {
            self = .byteOrderMark
        } else if has([0xFF, 0xFE], at: 0) || has([0xFE, 0xFF], at: 0) {
            self = .utf16
        } else if has(Array("LS0tLS1CRUdJTi".utf8), at: 0) {  // "-----BEGIN"
            self = .base64
        } else if has(Array(#"-----\n"#.utf8)) {
            self = .escapedLineBreaks
        } else if has(Array("-----BEGIN EC PRIVATE KEY-----".utf8)) {
            self = .sec1
        } else {
            return nil
        }
    }

    /// Returns a sentence that says what the mistake is, with the command that mends it.
    func description(path: String) -> String {
        let (reason, command) =
            switch self {
            case .byteOrderMark: ("begins with a byte order mark", #"sed '1s/^\xEF\xBB\xBF//'"#)
            case .utf16: ("UTF-16, not plain text", "iconv -f UTF-16 -t ASCII")
            case .base64: ("base64 of a key file", "base64 -d")
            case .escapedLineBreaks: (#"has \n in place of line breaks"#, #"sed 's/\\n/\n/g'"#)
            case .sec1:
                (
                    "a SEC 1 key (BEGIN EC PRIVATE KEY), not PKCS #8 (BEGIN PRIVATE KEY)",
                    "openssl pkcs8 -topk8 -nocrypt -in"
                )
            }
        return "\(reason); mend it with: umask 077; \(command) \(path) >new.p8"
    }
}
