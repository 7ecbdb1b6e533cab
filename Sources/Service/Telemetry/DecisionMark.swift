internal import Vocabulary

/// A line of the decision log that is not a record. It states how many records must stand before it, and which key made
/// the pseudonyms of their subscribers. So a reader can tell a gap in the log from a quiet hour. Readers of records
/// skip lines that have a `mark`.
public struct DecisionMark: Sendable, Hashable {
    /// The event that a mark records.
    public enum Kind: String, Sendable, Hashable {
        /// Records follow this mark.
        case open
        /// A minute or more has passed since the mark before.
        case minute
        /// The records under this key end in this file: the pool ends, or the log goes on under another key or in another
        /// file. At a rotation, a worker that has not opened the new file yet may write its last records behind the mark.
        case close
    }

    /// The event that the mark records.
    public var kind: Kind
    /// The time of the mark, in milliseconds since 1970.
    public var timeMilliseconds: Int64
    /// The identifier of the counters that number the records, see ``SharedCounters/instance``.
    public var instance: String
    /// The number of the last record that any worker of the instance has taken. The worker may write that record after
    /// this mark.
    public var sequence: UInt64
    /// The fingerprint of the key that makes the subscribers' pseudonyms.
    public var identifierKey: String

    /// Makes a mark. The parameters are the values of the properties with the same names.
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

    /// The mark as one line of NDJSON, line feed included.
    public var line: [UInt8] {
        var line = TextBuffer()
        line.append("{\"mark\":\"", plain: kind.rawValue)
        line.append("\",\"time\":\"", timeMilliseconds: timeMilliseconds)
        line.append("\",\"instance\":\"", plain: instance)
        line.append("\",\"sequence\":", sequence)
        line.append(",\"identifierKey\":", identifierKey)
        line.append("}\n")
        return line.bytes
    }
}
