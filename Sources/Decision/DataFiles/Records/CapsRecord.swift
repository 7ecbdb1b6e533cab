public import System

/// The one entry of `caps`, if any: how often a subscriber gets an offer.
public struct CapsRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 24 }

    /// Bits of ``CapsFlags``.
    public var flags: UInt32
    /// The ``Fact`` that counts the offers accepted, or zero.
    public var acceptedFact: UInt16
    /// The ``Fact`` that is the date of the last offer, or zero.
    public var lastFact: UInt16
    /// No offer to one who has accepted so many; -1 for no limit.
    public var maxAccepted: Int64
    /// No offer before so many days have passed since the last one; -1 for no limit.
    public var minDaysSinceLast: Int64

    /// Makes an entry.
    public init(
        flags: UInt32,
        acceptedFact: UInt16,
        lastFact: UInt16,
        maxAccepted: Int64,
        minDaysSinceLast: Int64
    ) {
        self.flags = flags
        self.acceptedFact = acceptedFact
        self.lastFact = lastFact
        self.maxAccepted = maxAccepted
        self.minDaysSinceLast = minDaysSinceLast
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [3 of UInt64] = bytes.words(at: offset) else { return nil }
        flags = UInt32(truncatingIfNeeded: words[0])
        acceptedFact = UInt16(truncatingIfNeeded: words[0] >> 32)
        lastFact = UInt16(truncatingIfNeeded: words[0] >> 48)
        maxAccepted = Int64(bitPattern: words[1])
        minDaysSinceLast = Int64(bitPattern: words[2])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(flags)
        buffer.append(acceptedFact)
        buffer.append(lastFact)
        buffer.append(maxAccepted)
        buffer.append(minDaysSinceLast)
    }
}
