internal import Configuration
internal import Cryptography

/// Which file decision records go to, and under which key they name subscribers. When either changes, another log
/// begins.
public struct DecisionLogIdentity: Sendable, Hashable {
    /// The file.
    public let path: String
    /// The fingerprint of the key; empty where libcrypto could not make one.
    public let identifierKey: String

    /// Both.
    public init(path: String, identifierKey: String) {
        self.path = path
        self.identifierKey = identifierKey
    }
}

extension Manifest {
    /// Where the records of this generation go; nil when none are written.
    public var decisionLog: DecisionLogIdentity? {
        guard let path = configuration.log.decisions, let key = identifierKey else { return nil }
        return DecisionLogIdentity(path: path, identifierKey: (try? key.fingerprintText()) ?? "")
    }
}
