/// An entry of `tests`: what the author expects of the rules.
public struct TestRecord: FileRecord {
    /// A string.
    public var name = EntryReference.none
    /// A string.
    public var productId = EntryReference.none
    /// A string.
    public var userLocale = EntryReference.none
    /// A string.
    public var originalTransactionId = EntryReference.none
    /// The server's clock, milliseconds since 1970.
    public var nowMilliseconds: Int64 = 0
    /// How old the facts file is; the least number when there is none.
    public var factsAgeSeconds: Int64 = 0
    /// Bits of ``TestFlags``.
    public var flags: UInt32 = 0
    /// The rule that should serve, or none.
    public var rule = EntryReference.none
    /// The name of the arm that should be taken, a string, or none.
    public var arm = EntryReference.none
    /// The message that should be served, or none.
    public var message = EntryReference.none
    /// The reason that should be given, a string, or none.
    public var reason = EntryReference.none
    /// The first of its entries in `testFacts`; tests take them in turn.
    public var firstFact: UInt32 = 0
    /// How many there are.
    public var factCount: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
