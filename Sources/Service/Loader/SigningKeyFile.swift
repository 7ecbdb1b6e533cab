public import Cryptography
internal import System

/// A `.p8` file as App Store Connect hands it out.
public enum SigningKeyFile {
    /// The key in a file that the service would take.
    ///
    /// - Throws: why it would not.
    public static func key(path: String) throws(SigningKeyProblem) -> SigningKey {
        CryptographyLibrary.protectKeys()
        return try key(in: try text(path: path))
    }

    /// Reads the text of a file that is there for whoever signs alone.
    static func text(path: String) throws(SigningKeyProblem) -> SecretMemory {
        let problem: SigningKeyProblem
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            let status = try FileStatus(of: file)
            if status.kind == .regular, status.permissions & 0o007 == 0 {
                return try SecretMemory.reading(file, limitBytes: LoaderLimits.signingKeyByteCount)
            }
            problem = status.kind == .regular ? .exposed : .notRegular
        } catch {
            // Nothing of that size is a key.
            problem = error.code == "system.efbig" ? .malformed : .unreadable(error)
        }
        throw problem
    }

    /// The key that a text is.
    static func key(in text: borrowing SecretMemory) throws(SigningKeyProblem) -> SigningKey {
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
