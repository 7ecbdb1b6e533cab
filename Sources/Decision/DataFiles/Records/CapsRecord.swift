/// The one entry of `caps`, if any: how often a subscriber gets an offer.
public struct CapsRecord: FileRecord {
    /// Bits of ``CapsFlags``.
    public var flags: UInt32 = 0
    /// The ``Fact`` that counts the offers accepted, or zero.
    public var acceptedFact: UInt16 = 0
    /// The ``Fact`` that is the date of the last offer, or zero.
    public var lastFact: UInt16 = 0
    /// No offer to one who has accepted so many; -1 for no limit.
    public var maxAccepted: Int64 = 0
    /// No offer before so many days have passed since the last one; -1 for no limit.
    public var minDaysSinceLast: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
