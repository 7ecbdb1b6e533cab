/// The names that one row of decision counts stands for.
public struct DecisionRowKey: Sendable, Hashable {
    /// The App Store's number of the app.
    public let appAppleId: Int64
    /// The environment, as Apple spells it.
    public let environment: String
    /// The rule's id; empty for decisions that no rule made.
    public let rule: String
    /// The arm's name; empty for a rule without arms.
    public let arm: String

    /// Makes a key. The parameters are the values of the properties with the same names.
    public init(appAppleId: Int64, environment: String, rule: String = "", arm: String = "") {
        self.appAppleId = appAppleId
        self.environment = environment
        self.rule = rule
        self.arm = arm
    }

    /// The name of the row that counts all rules of a file which have no row of their own.
    public static let otherRule = "other"

    /// The row for everything that finds no free row.
    public static let everythingElse = DecisionRowKey(appAppleId: 0, environment: "other", rule: otherRule)

    var byteCount: Int { environment.utf8.count + rule.utf8.count + arm.utf8.count }

    /// The FNV-1a digest of the names; never 0.
    var hash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for shift in 0..<8 { add(UInt8(truncatingIfNeeded: appAppleId >> Int64(shift * 8))) }
        for text in [environment, rule, arm] {
            for byte in text.utf8 { add(byte) }
            add(0)
        }
        return max(hash, 1)
    }
}

/// The counts of one row, as they were read.
public struct DecisionRow: Sendable, Hashable {
    /// The number of the row.
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
    /// The most bytes of environment, rule and arm together. Rules with longer names have no row of their own; our compiler
    /// makes no such rules.
    public static let textByteCount = 272

    /// The places of the words in a row.
    enum Word {
        /// The digest of the key; 0 in a free row.
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
