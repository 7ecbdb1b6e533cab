public import Cryptography
package import System

/// A `.p8` file as App Store Connect hands it out.
public enum SigningKeyFile {
    /// The longest file that is read; one of App Store Connect has 257 bytes.
    public static let byteLimit = 4 << 10

    /// The key in a file that the service would take.
    ///
    /// - Throws: why it would not.
    public static func key(path: String) throws(SigningKeyProblem) -> SigningKey {
        CryptographyLibrary.protectKeys()
        return try key(in: try text(path: path))
    }

    /// Reads the text of a file that is there for whoever signs alone: neither for everybody nor for `socketGroup`.
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
            // Nothing of that size is a key.
            problem = error.reason == .efbig ? .malformed : .unreadable(error)
        }
        throw problem
    }

    /// The group that nginx runs in.
    package struct SocketGroup {
        package let name: String
        package let groupID: UInt32

        /// `listenGroup`; nil when this machine has no such group, and so nobody who is in it.
        package init?(_ name: String) {
            guard let groupID = Accounts.groupID(named: name) ?? UInt32(name) else { return nil }
            self.name = name
            self.groupID = groupID
        }
    }

    /// The key that a text is.
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
