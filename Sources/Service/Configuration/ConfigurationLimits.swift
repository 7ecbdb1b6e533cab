/// Bounds for the values in `retentiond.json`. A value beyond its bound is taken for a typing error.
package enum ConfigurationLimits {
    /// The size of the largest configuration file in bytes: enough for some thousand apps.
    package static let fileBytes = 1 << 20
    /// The deepest nesting: the root, `apps`, an app, `signingKeys`, a key, and spare levels so that a text nested too
    /// deeply still gets a useful message.
    static let depth = 16
    /// The largest number of problems that one run reports. Each costs a scan of the text for its position.
    static let findingCount = 50
    /// The largest number of apps. Each app has rules files, and a generation holds at most 256 data files.
    static let appCount = 256
    /// The largest number of entries in any other list.
    static let listCount = 32
    /// The longest path of a file: PATH_MAX of Linux without its NUL.
    static let pathBytes = 4095
    /// The greatest `notificationBodyBytes`. The nginx files take no larger body either.
    package static let notificationBodyBytes = 512 << 10
    /// The longest path of a unix socket: `sun_path` without its NUL.
    static let socketPathBytes = 107
    /// The longest name of a user or group, and the longest identifier.
    static let nameBytes = 255
}
