/// A line of the decision log that is no record: it says how many records there should be before it, and under which key
/// their subscribers are named. So a gap in the log can be told from a quiet hour. Readers of records pass over lines
/// that have a `mark`.
public struct DecisionMark: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable {
        /// Records follow.
        case open
        /// A minute has passed.
        case minute
        /// No record follows from this pool, or under this key.
        case close
    }

    /// What happened.
    public var kind: Kind
    /// When, milliseconds since 1970.
    public var timeMilliseconds: Int64
    /// The counters that number the records, see ``SharedCounters/instance``.
    public var instance: String
    /// The number of the last record that any worker of the instance has taken; it may be written behind this mark.
    public var sequence: UInt64
    /// The fingerprint of the key that names subscribers.
    public var identifierKey: String

    /// All of it.
    public init(
        _ kind: Kind,
        timeMilliseconds: Int64,
        instance: String,
        sequence: UInt64,
        identifierKey: String
    ) {
        self.kind = kind
        self.timeMilliseconds = timeMilliseconds
        self.instance = instance
        self.sequence = sequence
        self.identifierKey = identifierKey
    }

    /// One line of NDJSON, line feed included.
    public var line: [UInt8] {
        var line = Array("{\"mark\":\"\(kind.rawValue)\",\"time\":\"\(LogText.time(timeMilliseconds))\"".utf8)
        line += ",\"instance\":\"\(instance)\",\"sequence\":\(sequence),\"identifierKey\":".utf8
        LogText.appendQuoted(identifierKey, to: &line)
        return line + Array("}\n".utf8)
    }
}
