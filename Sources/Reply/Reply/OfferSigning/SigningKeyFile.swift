public import Cryptography
public import System

public enum SigningKeyFile {
    /// The size limit of a key file in bytes; a file of App Store Connect has 257.
    public static let byteLimit = 4 << 10

    /// Reads the signing key in a file, with the checks that the service makes. Throws the reason why the service would not
    /// use the file.
    public static func key(path: String) throws(SigningKeyProblem) -> SigningKey {
        CryptographyLibrary.protectKeys()
        return try key(in: try text(path: path))
    }

    /// Reads the text of a key file. Refuses a file that everybody or `socketGroup` may use.
    public static func text(path: String, socketGroup: SocketGroup? = nil) throws(SigningKeyProblem)
        -> SecretMemory
    {
        let file = try SystemCallError.mapped(
            to: SigningKeyProblem.unreadable, try FileDescriptor.openForReading(path: path))
        let status = try SystemCallError.mapped(to: SigningKeyProblem.unreadable, try FileStatus(of: file))
        guard status.kind == .regular else { throw .notRegular }
        guard status.permissions & 0o007 == 0 else { throw .exposed }
        if let socketGroup, status.groupID == socketGroup.groupID, status.permissions & 0o070 != 0 {
            throw .socketGroup(name: socketGroup.name)
        }
        return try SystemCallError.mapped(
            // A file beyond the size limit is not a key.
            to: { $0.isFileTooLarge ? SigningKeyProblem.malformed(nil) : .unreadable($0) },
            try SecretMemory.reading(file, limitBytes: byteLimit)
        )
    }

    /// The group that may connect to the socket, which is nginx's group.
    public struct SocketGroup {
        public let name: String
        public let groupID: UInt32

        public init?(_ name: String) {
            guard let groupID = Accounts.groupID(named: name) else { return nil }
            self.name = name
            self.groupID = groupID
        }
    }

    public static func key(in text: borrowing SecretMemory) throws(SigningKeyProblem) -> SigningKey {
        try text.withBytes { bytes throws(SigningKeyProblem) in
            do throws(CryptographyError) {
                return try SigningKey(p8: bytes)
            } catch {
                switch error {
                case .keyEncrypted: throw .encrypted
                case .keyNotPrivate: throw .notPrivate
                case .keyUnsuitable: throw .unsuitable
                default: throw .malformed(SigningKeyMistake(bytes))
                }
            }
        }
    }
}

/// Why the service does not use a file of the setting `signingKeys`.
public enum SigningKeyProblem: CodedError, Hashable {
    case unreadable(SystemCallError)
    case notRegular
    case exposed
    case socketGroup(name: String)
    case encrypted
    case notPrivate
    case malformed(SigningKeyMistake?)
    case unsuitable

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

    public func findings(about file: String?) -> [Finding] {
        [Finding(code: code, description(path: file ?? ""), file: file)]
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
