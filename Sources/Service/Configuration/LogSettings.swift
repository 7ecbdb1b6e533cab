/// The `log` object: which log lines and decision records are written, and how.
public struct LogSettings: Sendable, Hashable {
    /// `level`: the lowest severity that is written.
    public var level = LogLevel.info
    /// `format`: the format of a line.
    public var format = LogFormat.logfmt
    /// `decisions`: path of the file of decision records; nil means that no records are written.
    public var decisions: String?

    /// Creates the default log settings.
    public init() {}
}
