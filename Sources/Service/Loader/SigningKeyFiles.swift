internal import Configuration
internal import Cryptography
internal import System

/// The `.p8` files that a configuration names.
enum SigningKeyFiles {
    /// Reads every key of every app; one that cannot be used refuses all, whether it signs or waits for its turn.
    ///
    /// - Returns: the keys that sign, in sealed memory, see ``SigningKeyMemory``.
    /// - Throws: the codes of ``SigningKeyProblem``, `load-system`.
    static func read(_ configuration: Configuration) throws(LoadError) -> DescriptorList {
        CryptographyLibrary.protectKeys()
        var memory = try SigningKeyMemory(keyCount: configuration.apps.count)
        for app in configuration.apps {
            for reference in app.signingKeys {
                let file = try open(reference)
                let text = try read(file, reference)
                try check(text, reference)
                if reference.keyId == app.signingKey?.keyId {
                    try memory.add(text, appAppleId: app.appAppleId)
                }
            }
        }
        return try memory.sealed()
    }

    private static func open(_ reference: SigningKeyReference) throws(LoadError) -> FileDescriptor {
        let unreadable = { (error: SystemCallError) -> LoadError in .signingKey(reference, .unreadable(error))
        }
        let file = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try FileDescriptor.openForReading(path: reference.file)
        }
        let status = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try FileStatus(of: file)
        }
        guard status.kind == .regular else { throw .signingKey(reference, .notRegular) }
        guard status.permissions & 0o007 == 0 else { throw .signingKey(reference, .exposed) }
        return file
    }

    private static func read(
        _ file: borrowing FileDescriptor,
        _ reference: SigningKeyReference
    ) throws(LoadError) -> SecretMemory {
        do throws(SystemCallError) {
            return try SecretMemory.reading(file, limitBytes: LoaderLimits.signingKeyByteCount)
        } catch {
            // Nothing of that size is a key.
            throw .signingKey(reference, error.code == "system.efbig" ? .malformed : .unreadable(error))
        }
    }

    private static func check(
        _ text: borrowing SecretMemory,
        _ reference: SigningKeyReference
    ) throws(LoadError) {
        do throws(CryptographyError) {
            _ = try text.withBytes { bytes throws(CryptographyError) in try SigningKey(p8: bytes) }
        } catch {
            switch error {
            case .keyEncrypted: throw .signingKey(reference, .encrypted)
            case .keyNotPrivate: throw .signingKey(reference, .notPrivate)
            case .keyUnsuitable: throw .signingKey(reference, .unsuitable)
            default: throw .signingKey(reference, .malformed)
            }
        }
    }
}
