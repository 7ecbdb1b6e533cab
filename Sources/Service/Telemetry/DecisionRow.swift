/// The counts of one row, as they were read.
public struct DecisionRow: Sendable, Hashable {
    public let index: Int
    /// The names that the row stands for.
    public let key: DecisionRowKey
    /// The decisions by reason. The caller gives the reasons their numbers.
    public let decisions: [UInt64]
    /// How often decisions passed over the rule. Always 0 in the row of an arm.
    public let passedOver: UInt64

    /// The sum of ``decisions``.
    public var served: UInt64 { decisions.reduce(0, &+) }

    /// The most reasons that a row counts.
    public static let reasonCount = 16
    /// The most bytes of environment, rule and arm together. Rules with longer names have no row of their own; our
    /// compiler makes no such rules.
    public static let textByteCount = 272

    /// The places of the words in a row.
    enum Word {
        /// The hash of the key; 0 in a free row.
        static let hash = 0
        /// 1 when the text is complete.
        static let isReady = 1
        static let app = 2
        /// The lengths of environment, rule and arm, 16 bits each.
        static let lengths = 3
        static let text = 4
        static let passedOver = text + textByteCount / 8
        static let decisions = passedOver + 1
    }

    /// The words of a row: nearly seven cache lines.
    static let wordCount = Word.decisions + reasonCount
}
