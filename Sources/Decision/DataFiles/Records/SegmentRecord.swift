public import System

/// An entry of `segments`; its condition refers to earlier ones only.
public struct SegmentRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// The name, a string.
    public var name: EntryReference
    /// The root of its condition in `conditions`.
    public var condition: EntryReference

    /// Makes an entry.
    public init(
        name: EntryReference,
        condition: EntryReference
    ) {
        self.name = name
        self.condition = condition
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        condition = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(condition.number)
    }
}
