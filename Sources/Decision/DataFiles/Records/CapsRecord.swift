/// The only entry of `caps`, if there is one: the limits on how often a subscriber gets an offer.
public struct CapsRecord: FileRecord {
    /// Bits of ``CapsFlags``.
    public var flags: UInt32 = 0
    /// The number of the ``Fact`` that counts the offers accepted, or zero.
    public var acceptedFact: UInt16 = 0
    /// The number of the ``Fact`` with the date of the last offer, or zero.
    public var lastFact: UInt16 = 0
    /// The number of accepted offers from which on a subscriber gets no more offers; -1 for no limit.
    public var maxAccepted: Int64 = 0
    /// The number of days that must pass after the last offer before the next one; -1 for no limit.
    public var minDaysSinceLast: Int64 = 0

    public init() {}
}
