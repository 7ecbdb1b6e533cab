internal import Configuration
internal import Cryptography
internal import System

/// The PEM files that a configuration names.
enum AnchorFiles {
    /// The DER of every certificate in each of them, by path.
    static func read(_ configuration: Configuration) throws(LoadError) -> [String: [[UInt8]]] {
        var found: [String: [[UInt8]]] = [:]
        for path in configuration.anchors + configuration.apps.flatMap(\.anchors) where found[path] == nil {
            let text: [UInt8]
            do throws(SystemCallError) {
                text = try FileDescriptor.openForReading(path: path)
                    .readAll(limitBytes: LoaderLimits.anchorByteCount)
            } catch {
                throw .anchorUnreadable(path: path, error)
            }
            guard let certificates = try? Certificate.pem(text.span), !certificates.isEmpty else {
                throw .anchorInvalid(path: path)
            }
            found[path] = certificates.map(\.der)
        }
        return found
    }
}
