/// An entry of `outcomes`, without repetition.
public struct OutcomeRecord: FileRecord {
    /// An ``OutcomeKind``.
    public var kind: UInt32 = 0
    /// The message to show, or none.
    public var message = EntryReference.none
    /// A switch and an offer: the productId, a string. Advanced commerce: the request, a string. Else none.
    public var first = EntryReference.none
    /// A switch: the billingPlanType, a string or none. An offer: the offerIdentifier, a string. Else none.
    public var second = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
