/// How far the values of `retentiond.json` may go; beyond is a typing error rather than a wish.
public enum ConfigurationLimits {
    /// The longest configuration file, in bytes: some thousand apps.
    public static let fileBytes = 1 << 20
    /// The deepest nesting: the root, `apps`, an app, `signingKeys`, a key, and some air for a useful message.
    static let depth = 16
    /// Most problems told in one run: each costs a scan of the text for its position.
    static let findingCount = 50
    /// Most apps: each has rules files, of which a generation holds at most 256.
    static let appCount = 256
    /// Most entries in any other list.
    static let listCount = 32
    /// Longest path of a file: PATH_MAX of Linux without its NUL.
    static let pathBytes = 4095
    /// Longest path of a unix socket: `sun_path` without its NUL.
    static let socketPathBytes = 107
    /// Longest user, group or identifier.
    static let nameBytes = 255

    /// `backlog`; the kernel cuts it to `net.core.somaxconn`.
    static let backlog = 1...65_535
    /// `workers`.
    static let workers = 0...1024
    /// `maxRequests`.
    static let maxRequests = 0...1_000_000_000
    /// `drainMilliseconds`: up to ten minutes.
    static let drainMilliseconds = 0...600_000
    /// `reloadIntervalMilliseconds`: up to a minute, because `--reload` waits for its reload to begin.
    static let reloadIntervalMilliseconds: ClosedRange<Int64> = 0...60_000
    /// `maxSignedAgeSeconds`: up to a year.
    static let maxSignedAgeSeconds: ClosedRange<Int64> = 0...31_536_000
    /// `deadlineMilliseconds`: Apple itself gives up after 700 ms.
    static let deadlineMilliseconds: ClosedRange<Int64> = 1...60_000
    /// `slowMilliseconds`.
    static let slowMilliseconds: ClosedRange<Int64> = 0...600_000
    /// `messageBodyBytes`: held in memory by each connection.
    static let messageBodyBytes = 1024...16 << 20
    /// `notificationBodyBytes`.
    static let notificationBodyBytes = 1024...64 << 20
    /// `rulesBytes`.
    static let rulesBytes = 4096...4 << 30
    /// `factsBytes`.
    static let factsBytes = 4096...1 << 40
    /// `sealCopyBytes`.
    static let sealCopyBytes = 0...1 << 40
    /// `coreLimit`.
    static let coreLimit: ClosedRange<Int64> = 0...1 << 40
}
