public import Cryptography
public import System

public enum SigningKeyFile {
    /// The size limit of a key file in bytes; a file of App Store Connect has 257.
    public static let byteLimit = 4 << 10

    /// Reads the signing key in a file, with the checks that the service makes. Throws the reason why the service would not
    /// use the file.
    public static func key(path: String) throws(SigningKeyProblem) -> SigningKey {
        try key(in: try text(path: path))
    }

    /// Reads the text of a key file. Refuses a file that everybody or `socketGroup` may use.
    public static func text(path: String, socketGroup: SocketGroup? = nil) throws(SigningKeyProblem)
        -> [UInt8]
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
            to: { $0.isFileTooLarge ? SigningKeyProblem.malformed : .unreadable($0) },
            try file.readAll(limitBytes: byteLimit)
        )
    }

    public struct SocketGroup {
        public let name: String
        public let groupID: UInt32

        public init?(_ name: String) {
            guard let groupID = Accounts.groupID(named: name) else { return nil }
            self.name = name
            self.groupID = groupID
        }
    }

    public static func key(in text: [UInt8]) throws(SigningKeyProblem) -> SigningKey {
        do throws(CryptographyError) {
            return try SigningKey(p8: text.span)
        } catch {
            switch error {
            case .keyEncrypted: throw .encrypted
            case .keyNotPrivate: throw .notPrivate
            case .keyUnsuitable: throw .unsuitable
            default: throw .malformed
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
    case malformed
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
        case .malformed: "not one key in PEM, as the .p8 files of App Store Connect are"
        case .unsuitable: "not a key on P-256, which ES256 takes"
        }
    }
}
