internal import System

/// An entry of `dateLists`: one date of a list; those of one list stand together, ascending, without repetition.
package struct DateRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 8 }

    /// Milliseconds since 1970.
    package var milliseconds: Int64

    /// Makes an entry.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let value = bytes.int64(at: offset) else { return nil }
        milliseconds = value
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(milliseconds)
    }
}
