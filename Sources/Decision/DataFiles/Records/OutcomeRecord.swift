public import System

/// An entry of `outcomes`, without repetition.
public struct OutcomeRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// An ``OutcomeKind``.
    public var kind: UInt32
    /// The message to show, or none.
    public var message: EntryReference
    /// Ones, twice "none"; later what switches and offers name.
    public var reserved: UInt64

    /// Makes an entry.
    public init(
        kind: UInt32,
        message: EntryReference,
        reserved: UInt64 = 0
    ) {
        self.kind = kind
        self.message = message
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        kind = UInt32(truncatingIfNeeded: words[0])
        message = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        reserved = words[1]
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(kind)
        buffer.append(message.number)
        buffer.append(reserved)
    }
}
