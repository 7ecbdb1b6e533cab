public import System

/// An entry of `factDeclarations`, in the order of the source.
public struct FactDeclarationRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// The name, a string.
    public var name: EntryReference
    /// A ``ValueKind``.
    public var kind: UInt32

    /// Makes an entry.
    public init(
        name: EntryReference,
        kind: UInt32
    ) {
        self.name = name
        self.kind = kind
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        kind = UInt32(truncatingIfNeeded: words[0] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(kind)
    }
}
