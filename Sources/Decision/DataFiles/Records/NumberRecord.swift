public import System

/// An entry of `numberLists`: one operand of a list that is no string; those of one list stand together, ascending,
/// without repetition, or are the two ends of a range.
public struct NumberRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// An integer, number since 1970, or 0 and 1 for false and true.
    public var number: Int64

    /// Makes an entry.
    public init(number: Int64) {
        self.number = number
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        number = Int64(bitPattern: words[0])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(number)
    }
}
