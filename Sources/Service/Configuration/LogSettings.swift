/// The `log` object.
public struct LogSettings: Sendable, Hashable {
    /// `level`: the least severe lines that are written.
    public var level = LogLevel.info
    /// `format`: how a line is written.
    public var format = LogFormat.logfmt
    /// `decisions`: file of the decision records; nil means none are written.
    public var decisions: String?

    /// The defaults.
    public init() {}
}
