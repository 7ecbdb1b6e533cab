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
                let text = try checkedText(reference)
                if reference.keyId == app.signingKey?.keyId {
                    try memory.add(text, appAppleId: app.appAppleId)
                }
            }
        }
        return try memory.sealed()
    }

    private static func checkedText(_ reference: SigningKeyReference) throws(LoadError) -> SecretMemory {
        do throws(SigningKeyProblem) {
            let text = try SigningKeyFile.text(path: reference.file)
            _ = try SigningKeyFile.key(in: text)
            return text
        } catch {
            throw .signingKey(reference, error)
        }
    }
}
