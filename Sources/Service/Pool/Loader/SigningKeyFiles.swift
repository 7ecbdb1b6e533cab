internal import Configuration
internal import Cryptography
internal import Reply
internal import System

/// The `.p8` files that a configuration names.
enum SigningKeyFiles {
    /// Reads every key of every app. One key that cannot be used refuses the load, whether that key signs or is only in
    /// reserve.
    /// `skipsUnusable` is true when there is no older generation to go on with. A key that cannot be used is then left out
    /// with a warning, and rules that need its signature are passed over.
    static func read(_ configuration: Configuration, skipsUnusable: Bool, _ warnings: inout [LoadWarning])
        throws(LoadError) -> [Int64: SHA256Digest]
    {
        CryptographyLibrary.protectKeys()
        var found: [Int64: SHA256Digest] = [:]
        let hasKeys = configuration.apps.contains { !$0.signingKeys.isEmpty }
        let group = hasKeys ? SigningKeyFile.SocketGroup(configuration.listenGroup) : nil
        for app in configuration.apps {
            for reference in app.signingKeys {
                do throws(LoadError) {
                    let key = try key(reference, group)
                    if reference.keyId == app.signingKey?.keyId {
                        found[app.appAppleId] = try CryptographyError.mapped(
                            to: { _ in LoadError.signingKey(reference, .malformed(nil)) },
                            try key.publicKeyDigest())
                    }
                } catch {
                    guard skipsUnusable, case .signingKey = error else { throw error }
                    warnings.append(LoadWarning(code: error.code, message: error.description))
                }
            }
        }
        return found
    }

    /// Reads the keys that sign in a worker. Somebody may have replaced or removed a file since the load: the worker then serves
    /// without that key.
    static func signing(
        _ configuration: Configuration, loaded: [Int64: SHA256Digest], _ warnings: inout [LoadWarning]
    ) -> [Int64: SigningKey] {
        CryptographyLibrary.protectKeys()
        var keys: [Int64: SigningKey] = [:]
        for app in configuration.apps {
            guard let reference = app.signingKey, let digest = loaded[app.appAppleId] else { continue }
            do throws(LoadError) {
                let key = try key(reference, SigningKeyFile.SocketGroup(configuration.listenGroup))
                if (try? key.publicKeyDigest()) == digest {
                    keys[app.appAppleId] = key
                } else {
                    let message = "\(reference.file): not the key that was loaded; reload"
                    warnings.append(LoadWarning(code: "signing-key-missing", message: message))
                }
            } catch {
                warnings.append(LoadWarning(code: error.code, message: error.description))
            }
        }
        return keys
    }

    private static func key(_ reference: SigningKeyReference, _ group: SigningKeyFile.SocketGroup?)
        throws(LoadError) -> SigningKey
    {
        try SigningKeyProblem.mapped(
            to: { LoadError.signingKey(reference, $0) },
            try { () throws(SigningKeyProblem) in
                try SigningKeyFile.key(in: SigningKeyFile.text(path: reference.file, socketGroup: group))
            }())
    }
}

/// The file of the key of the decision records. Nobody but its owner may read it.
enum IdentifierKeyFile {
    /// Returns the key of a configuration that writes decision records. Where `identifierKeyFile` is not set, the
    /// daemon makes a key of its own, once.
    /// - Returns: the key; nil when no records are written, and for a trial when the daemon's key is not made yet.
    static func read(_ configuration: Configuration, isDryRun: Bool) throws(LoadError) -> IdentifierKey? {
        guard configuration.log.decisions != nil else { return nil }
        let path = configuration.identifierKeyPath
        let status: FileStatus
        let text: [UInt8]
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            status = try FileStatus(of: file)
            let limit = IdentifierKey.textByteCount + 1
            text = status.kind == .regular ? try file.readAll(limitBytes: limit) : []
        } catch {
            guard configuration.identifierKeyFile == nil, error.reason == .enoent else {
                throw .identifierKeyUnreadable(path: path, error)
            }
            return isDryRun ? nil : try make(path)
        }
        guard status.kind == .regular else { throw .identifierKeyInvalid(path: path) }
        guard status.permissions & 0o077 == 0 else { throw .identifierKeyExposed(path: path) }
        guard let key = IdentifierKey(text: text) else { throw .identifierKeyInvalid(path: path) }
        return key
    }

    private static func make(_ path: String) throws(LoadError) -> IdentifierKey {
        let key = IdentifierKey.make()
        try SystemCallError.mapped(
            to: { LoadError.identifierKeyNotMade(path: path, reason: $0.description) },
            try AtomicFile.write(Array("\(key.text)\n".utf8).span, to: path, permissions: 0o600)
        )
        return key
    }
}
