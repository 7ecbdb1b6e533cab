public import System

/// An entry of `splits`: who is in and who is not, or which arm one gets.
public struct SplitRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// A string.
    public var salt: EntryReference
    /// The ``Fact`` whose string is hashed.
    public var unit: UInt32
    /// How many of 10000 buckets are in; 10000 where arms share them.
    public var basisPoints: UInt32
    /// Zero.
    public var reserved: UInt32

    /// Makes an entry.
    public init(
        salt: EntryReference,
        unit: UInt32,
        basisPoints: UInt32,
        reserved: UInt32 = 0
    ) {
        self.salt = salt
        self.unit = unit
        self.basisPoints = basisPoints
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        salt = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        unit = UInt32(truncatingIfNeeded: words[0] >> 32)
        basisPoints = UInt32(truncatingIfNeeded: words[1])
        reserved = UInt32(truncatingIfNeeded: words[1] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(salt.number)
        buffer.append(unit)
        buffer.append(basisPoints)
        buffer.append(reserved)
    }
}
