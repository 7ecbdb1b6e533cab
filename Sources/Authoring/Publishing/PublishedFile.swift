public import Cryptography
public import DataFiles
public import Vocabulary

/// A data file that is published.
public struct PublishedFile: Sendable, Hashable {
    /// The path on this machine.
    public let path: String
    /// Rules or facts.
    public let kind: DataFileKind
    /// The App Store's number of its app.
    public let appAppleId: Int64
    /// The environment that the file serves.
    public let environment: Environment
    /// Its digest, by which a host says that it serves this file.
    public let digest: SHA256Digest
    /// The number of rows of a facts file; nil for rules.
    public let rowCount: Int?
    /// Its name on a host that serves no such file yet.
    public let usualName: String

    public init(
        path: String, kind: DataFileKind, appAppleId: Int64, environment: Environment, digest: SHA256Digest,
        rowCount: Int?, usualName: String
    ) {
        self.path = path
        self.kind = kind
        self.appAppleId = appAppleId
        self.environment = environment
        self.digest = digest
        self.rowCount = rowCount
        self.usualName = usualName
    }

    /// Returns the file that a pool serves in the place of this one; nil when it serves none.
    public func predecessor(in pool: ServedPool) -> ServedPool.File? {
        pool.file(kind, appAppleId: appAppleId, environment: environment)
    }

    /// Returns the name under which a host has, or will have, the file.
    public func name(on pool: ServedPool) -> String { predecessor(in: pool)?.name ?? usualName }

    /// Returns true when the pool serves exactly this file.
    public func isServed(by pool: ServedPool) -> Bool { predecessor(in: pool)?.digest == digest }
}
