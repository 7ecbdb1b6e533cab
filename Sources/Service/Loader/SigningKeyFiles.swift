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
    /// - Returns: the keys that sign, in sealed memory, see ``SigningKeyMemory``.
    /// - Throws: the codes of ``SigningKeyProblem``, `load-system`.
    static func read(_ configuration: Configuration, skipsUnusable: Bool, _ warnings: inout [LoadWarning])
        throws(LoadError) -> DescriptorList
    {
        CryptographyLibrary.protectKeys()
        var memory = try SigningKeyMemory(keyCount: configuration.apps.count)
        let hasKeys = configuration.apps.contains { !$0.signingKeys.isEmpty }
        let group = hasKeys ? SigningKeyFile.SocketGroup(configuration.listenGroup) : nil
        for app in configuration.apps {
            for reference in app.signingKeys {
                do throws(LoadError) {
                    let text = try checkedText(reference, group)
                    if reference.keyId == app.signingKey?.keyId {
                        memory.add(text, appAppleId: app.appAppleId)
                    }
                } catch {
                    guard skipsUnusable, case .signingKey = error else { throw error }
                    warnings.append(LoadWarning(code: error.code, message: error.description))
                }
            }
        }
        return try memory.sealed()
    }

    private static func checkedText(_ reference: SigningKeyReference, _ group: SigningKeyFile.SocketGroup?)
        throws(LoadError) -> SecretMemory
    {
        let unusable = { (problem: SigningKeyProblem) in LoadError.signingKey(reference, problem) }
        let text = try SigningKeyProblem.mapped(
            to: unusable, try SigningKeyFile.text(path: reference.file, socketGroup: group))
        _ = try SigningKeyProblem.mapped(to: unusable, try SigningKeyFile.key(in: text))
        return text
    }
}
