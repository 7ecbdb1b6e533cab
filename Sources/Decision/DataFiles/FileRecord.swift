internal import System

/// An entry of fixed width in a section: whole numbers only, little-endian, every byte accounted for.
///
/// Reading never fails on what the numbers mean; that is checked once, at opening, by the process that loads.
public protocol FileRecord: Sendable {
    /// The width in bytes.
    static var byteCount: Int { get }
    /// Reads an entry; nil where its bytes are not all inside.
    init?(reading bytes: RawSpan, at offset: Int)
    /// Writes the entry.
    func write(to buffer: inout ByteBuffer)
}

/// A section as a table of entries.
public struct RecordTable<Record: FileRecord>: Sendable {
    /// Where the section starts, in bytes from the start of the file.
    @usableFromInline let offset: Int
    /// The number of entries.
    public let count: Int

    init(offset: Int, count: Int) {
        self.offset = offset
        self.count = count
    }

    /// The entry with a number; nil when there is none. Costs two comparisons and the loads.
    @inlinable
    public func record(at index: Int, in bytes: RawSpan) -> Record? {
        guard index >= 0, index < count else { return nil }
        return Record(reading: bytes, at: offset + index * Record.byteCount)
    }

    /// Where the entry with a number starts in the file, for errors.
    func offset(of index: Int) -> Int { offset + index * Record.byteCount }
}
