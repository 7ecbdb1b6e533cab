internal import DataFiles
public import Vocabulary

/// What a facts file says about itself, beside its rows.
public struct FactsFileMaking: Sendable, Hashable {
    /// The app it serves, Apple's number.
    public var appAppleId: Int64
    /// The environment it serves.
    public var environment: Environment
    /// Its generation, build time and writer.
    public var stamp: DataFileStamp

    /// Makes one.
    public init(appAppleId: Int64, environment: Environment, stamp: DataFileStamp) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.stamp = stamp
    }
}
