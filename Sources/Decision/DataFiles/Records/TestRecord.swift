/// An entry of `tests`: a request and the decision that the author expects.
public struct TestRecord: FileRecord {
    /// The name of the test, a string.
    public var name = EntryReference.none
    /// The productId of the request, a string.
    public var productId = EntryReference.none
    /// The locale of the request, a string.
    public var userLocale = EntryReference.none
    /// The subscriber's original transaction identifier, a string.
    public var originalTransactionId = EntryReference.none
    /// The server's clock, in milliseconds since 1970.
    public var nowMilliseconds: Int64 = 0
    /// The age of the facts file in seconds; the least number when there is no facts file.
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
    /// The first of the test's entries in `testFacts`. Tests take these entries in turn.
    public var firstFact: UInt32 = 0
    /// The number of these entries.
    public var factCount: UInt32 = 0
    /// Reserved: zero.
    public var reserved: UInt32 = 0

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
