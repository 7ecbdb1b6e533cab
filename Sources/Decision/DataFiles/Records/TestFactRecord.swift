public import System

/// An entry of `testFacts`: one fact of a test's subscriber.
public struct TestFactRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// The ``Fact``, a declared one.
    public var fact: UInt16
    /// Its ``ValueKind``.
    public var valueKind: UInt8
    /// Zero.
    public var reserved: UInt8
    /// Its value if that is a string, else none.
    public var string: EntryReference
    /// Its value if that is no string, as in ``NumberRecord``; else zero.
    public var number: Int64

    /// Makes an entry.
    public init(
        fact: UInt16,
        valueKind: UInt8,
        reserved: UInt8 = 0,
        string: EntryReference,
        number: Int64
    ) {
        self.fact = fact
        self.valueKind = valueKind
        self.reserved = reserved
        self.string = string
        self.number = number
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        fact = UInt16(truncatingIfNeeded: words[0])
        valueKind = UInt8(truncatingIfNeeded: words[0] >> 16)
        reserved = UInt8(truncatingIfNeeded: words[0] >> 24)
        string = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        number = Int64(bitPattern: words[1])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(fact)
        buffer.append(valueKind)
        buffer.append(reserved)
        buffer.append(string.number)
        buffer.append(number)
    }
}
