internal import Configuration
internal import Cryptography

/// The file of the decision records, and the key that names subscribers in it. When either changes, a new log begins.
public struct DecisionLogIdentity: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The fingerprint of the key; empty when libcrypto could not compute it.
    public let identifierKey: String

    /// Creates an identity from the path of the file and the fingerprint of the key.
    public init(path: String, identifierKey: String) {
        self.path = path
        self.identifierKey = identifierKey
    }
}

extension Manifest {
    /// The log that the records of this generation go to; nil when the generation writes no records.
    public var decisionLog: DecisionLogIdentity? {
        guard let path = configuration.log.decisions, let key = identifierKey else { return nil }
        return DecisionLogIdentity(path: path, identifierKey: (try? key.fingerprintText()) ?? "")
    }
}
