internal import Configuration
internal import Cryptography
internal import OfferSigning
internal import System
internal import Vocabulary

/// The `.p8` files that a configuration names.
enum SigningKeyFiles {
    /// Reads every key of every app. One key that cannot be used refuses the load, whether that key signs or is only in
    /// reserve.
    ///
    /// - Parameters:
    ///   - configuration: names the files.
    ///   - skipsUnusable: true when there is no older generation to go on with. A key that cannot be used is then left out
    ///     with a warning, and rules that need its signature are passed over.
    ///   - warnings: receives that warning.
    /// - Returns: the public halves of the keys that sign, by `appAppleId`.
    /// - Throws: the codes of ``SigningKeyProblem``, `load-system`.
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
    ///
    /// - Parameters:
    ///   - configuration: names the files.
    ///   - loaded: the public halves of the keys that were loaded.
    ///   - warnings: receives a warning for each key that the worker does without.
    /// - Returns: the keys by `appAppleId`.
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
