public import System

/// An entry of `outcomes`, without repetition.
public struct OutcomeRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// An ``OutcomeKind``.
    public var kind: UInt32
    /// The message to show, or none.
    public var message: EntryReference
    /// A switch and an offer: the productId, a string. Advanced commerce: the request, a string. Else none.
    public var first: EntryReference
    /// A switch: the billingPlanType, a string or none. An offer: the offerIdentifier, a string. Else none.
    public var second: EntryReference

    /// Makes an entry.
    public init(
        kind: UInt32,
        message: EntryReference,
        first: EntryReference,
        second: EntryReference
    ) {
        self.kind = kind
        self.message = message
        self.first = first
        self.second = second
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        kind = UInt32(truncatingIfNeeded: words[0])
        message = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        first = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        second = EntryReference(UInt32(truncatingIfNeeded: words[1] >> 32))
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(kind)
        buffer.append(message.number)
        buffer.append(first.number)
        buffer.append(second.number)
    }
}
