public import System

/// An entry of `dateLists`: one date of a list; those of one list stand together, ascending, without repetition.
public struct DateRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// Milliseconds since 1970.
    public var milliseconds: Int64

    /// Makes an entry.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        milliseconds = Int64(bitPattern: words[0])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(milliseconds)
    }
}
