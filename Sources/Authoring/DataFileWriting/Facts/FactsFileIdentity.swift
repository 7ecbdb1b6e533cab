internal import DataFiles
public import Vocabulary

/// The contents of a facts file's header.
public struct FactsFileIdentity: Sendable, Hashable {
    /// The appAppleId of the app that the file serves.
    public var appAppleId: Int64
    /// The environment that the file serves.
    public var environment: Environment
    /// The build time and the writer of the file.
    public var stamp: DataFileStamp

    public init(appAppleId: Int64, environment: Environment, stamp: DataFileStamp) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.stamp = stamp
    }
}
