internal import Configuration
internal import Cryptography
internal import System

/// The key that turns subscriber identifiers into those of the decision records: 64 hexadecimal digits in a file that
/// nobody but its owner may read, as `openssl rand -hex 32` prints them.
enum IdentifierKey {
    /// The bytes of a key.
    static let byteCount = 32

    /// The key of a configuration that wants decision records. Where `identifierKeyFile` is not set, the daemon makes
    /// a key of its own, once.
    ///
    /// - Parameters:
    ///   - configuration: says whether records are written, and where the key is.
    ///   - isTrial: true for who only looks: nothing is made.
    /// - Returns: the key; nil where no records are written, and for a trial before the key is made.
    /// - Throws: `identifier-key-unreadable`, `identifier-key-exposed`, `identifier-key-invalid`,
    ///   `identifier-key-not-made`.
    static func read(_ configuration: Configuration, isTrial: Bool) throws(LoadError) -> [UInt8]? {
        guard configuration.log.decisions != nil else { return nil }
        let path = configuration.identifierKeyPath
        let text: [UInt8]
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            let status = try FileStatus(of: file)
            guard status.kind == .regular else { throw SystemCallError(call: "open", number: 22) }
            text = status.permissions & 0o077 == 0 ? try file.readAll(limitBytes: 2 * byteCount + 2) : []
        } catch {
            guard configuration.identifierKeyFile == nil, error.code == "system.enoent" else {
                throw .identifierKeyUnreadable(path: path, error)
            }
            return isTrial ? nil : try make(path)
        }
        guard !text.isEmpty else { throw .identifierKeyExposed(path: path) }
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * byteCount,
            let key = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { throw .identifierKeyInvalid(path: path) }
        return key
    }

    private static func make(_ path: String) throws(LoadError) -> [UInt8] {
        guard let key = try? RandomBytes.make(byteCount) else {
            throw .identifierKeyNotMade(path: path, SystemCallError(call: "getrandom", number: 5))
        }
        do throws(SystemCallError) {
            let text = Array("\(Hexadecimal.encode(key.span))\n".utf8)
            try AtomicFile.write(text.span, to: path, permissions: 0o600)
        } catch {
            throw .identifierKeyNotMade(path: path, error)
        }
        return key
    }
}
