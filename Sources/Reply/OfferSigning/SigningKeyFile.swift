public import Cryptography
package import System
internal import Vocabulary

/// Reads `.p8` key files of App Store Connect.
public enum SigningKeyFile {
    /// The size limit of a key file in bytes; a file of App Store Connect has 257.
    public static let byteLimit = 4 << 10

    /// Reads the signing key in a file, with the checks that the service makes.
    ///
    /// - Throws: the reason why the service would not use the file.
    public static func key(path: String) throws(SigningKeyProblem) -> SigningKey {
        CryptographyLibrary.protectKeys()
        return try key(in: try text(path: path))
    }

    /// Reads the text of a key file. Refuses a file that everybody or `socketGroup` may use.
    package static func text(path: String, socketGroup: SocketGroup? = nil) throws(SigningKeyProblem)
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
    package struct SocketGroup {
        package let name: String
        package let groupID: UInt32

        /// Looks up `listenGroup` by name or number; nil when this machine has no such group, so that nobody is in it.
        package init?(_ name: String) {
            guard let groupID = Accounts.groupID(named: name) else { return nil }
            self.name = name
            self.groupID = groupID
        }
    }

    package static func key(in text: borrowing SecretMemory) throws(SigningKeyProblem) -> SigningKey {
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
