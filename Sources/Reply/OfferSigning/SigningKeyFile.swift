public import Cryptography
package import System

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
        let problem: SigningKeyProblem
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            let status = try FileStatus(of: file)
            if status.kind != .regular {
                problem = .notRegular
            } else if status.permissions & 0o007 != 0 {
                problem = .exposed
            } else if let socketGroup, status.groupID == socketGroup.groupID, status.permissions & 0o070 != 0
            {
                problem = .socketGroup(name: socketGroup.name)
            } else {
                return try SecretMemory.reading(file, limitBytes: byteLimit)
            }
        } catch {
            // A file beyond the size limit is not a key.
            problem = error.reason == .efbig ? .malformed : .unreadable(error)
        }
        throw problem
    }

    /// The group that may connect to the socket, which is nginx's group.
    package struct SocketGroup {
        package let name: String
        package let groupID: UInt32

        /// Looks up `listenGroup` by name or number; nil when this machine has no such group, so that nobody is in it.
        package init?(_ name: String) {
            guard let groupID = Accounts.groupID(named: name) ?? UInt32(name) else { return nil }
            self.name = name
            self.groupID = groupID
        }
    }

    /// Makes the key from the text of a key file.
    package static func key(in text: borrowing SecretMemory) throws(SigningKeyProblem) -> SigningKey {
        do throws(CryptographyError) {
            return try text.withBytes { bytes throws(CryptographyError) in try SigningKey(p8: bytes) }
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
