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
}
