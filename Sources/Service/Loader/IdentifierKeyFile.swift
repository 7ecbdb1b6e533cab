internal import Configuration
internal import Cryptography
internal import System
internal import Vocabulary

/// The file of the key of the decision records. Nobody but its owner may read it.
enum IdentifierKeyFile {
    /// Returns the key of a configuration that writes decision records. Where `identifierKeyFile` is not set, the
    /// daemon makes a key of its own, once.
    ///
    /// - Parameters:
    ///   - configuration: says whether records are written, and where the key is.
    ///   - isDryRun: true for a check, which makes no key.
    /// - Returns: the key; nil when no records are written, and for a trial when the daemon's key is not made yet.
    /// - Throws: `identifier-key-unreadable`, `identifier-key-exposed`, `identifier-key-invalid`,
    ///   `identifier-key-not-made`.
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
        guard let key = try? IdentifierKey.make() else {
            throw .identifierKeyNotMade(path: path, reason: CryptographyError.randomUnavailable.code)
        }
        try SystemCallError.mapped(
            to: { LoadError.identifierKeyNotMade(path: path, reason: $0.description) },
            try AtomicFile.write(Array("\(key.text)\n".utf8).span, to: path, permissions: 0o600)
        )
        return key
    }
}
