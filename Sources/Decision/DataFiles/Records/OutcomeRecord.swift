/// An entry of `outcomes`. No two entries are equal.
public struct OutcomeRecord: FileRecord {
    /// The raw value of the ``OutcomeKind``.
    public var kind: UInt32 = 0
    /// The message to show, in `messages`, or none.
    public var message = EntryReference.none
    /// For a switch and an offer: the productId, a string. For Advanced Commerce: the JSON text of the request, a
    /// string. Else none.
    public var first = EntryReference.none
    /// For a switch: the billingPlanType, a string or none. For an offer: the offerIdentifier, a string. Else none.
    public var second = EntryReference.none

    public init() {}
}
