internal import Configuration
internal import Cryptography
internal import SignedPayloads
internal import System

/// The PEM files that a configuration names.
enum AnchorFiles {
    /// The DER of every certificate in each of them, by path. Apple's own are looked at, too, whoever uses them; that
    /// others are trusted is a warning.
    static func read(
        _ configuration: Configuration,
        _ warnings: inout [LoadWarning]
    ) throws(LoadError) -> [String: [[UInt8]]] {
        do throws(AnchorError) {
            _ = try AppleRoots.certificates()
        } catch {
            throw .appleRoots(error)
        }
        if configuration.trustsCustomAnchors {
            let message =
                "certificates other than Apple's are trusted: whoever has their keys can ask in Apple's name"
            warnings.append(LoadWarning(code: "custom-anchors", message: message))
        }
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
