public import System

/// An entry of fixed width in a section. It consists of whole numbers, little-endian, and every byte belongs to a
/// field.
///
/// The stored properties are the layout: an entry lies in memory as it lies in the file. `DataFilesTests` compares the
/// places and widths of the properties with FORMAT.md. Reading an entry does not check what its numbers mean: the
/// process that loads a file checks that once, when it opens the file.
public protocol FileRecord: BitwiseCopyable, Hashable, Sendable {
    init()
}

extension FileRecord {
    /// The width of an entry in bytes.
    @inlinable
    public static var byteCount: Int { MemoryLayout<Self>.size }

    /// Returns the place where a field begins, in bytes from the beginning of the entry.
    package static func offset(of field: PartialKeyPath<Self>) -> Int {
        guard let offset = MemoryLayout<Self>.offset(of: field) else {
            preconditionFailure("a field is a stored property")
        }
        return offset
    }

    /// Reads the entry at `offset`; nil when not all of its bytes are inside `bytes`.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let entry = bytes.load(as: Self.self, at: offset) else { return nil }
        self = entry
    }

    /// Makes an entry with the fields that `set` assigns; all others stay as in ``init()``.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

/// Returns the offset in the file of a field of the entry at `offset`, for errors.
func field<Record: FileRecord>(_ field: PartialKeyPath<Record>, at offset: Int) -> Int {
    offset + Record.offset(of: field)
}

/// A section as a table of entries.
public struct RecordTable<Record: FileRecord>: Sendable {
    /// The place where the section starts, in bytes from the start of the file.
    @usableFromInline let offset: Int
    /// The number of entries.
    public let count: Int

    init(offset: Int, count: Int) {
        self.offset = offset
        self.count = count
    }

    /// Returns the entry with this number, or nil when the table has no such entry. Costs two comparisons and the
    /// loads.
    @inlinable
    @inline(__always)
    public func record(at index: Int, in bytes: RawSpan) -> Record? {
        // As an unsigned number, a negative index is greater than any count. The count is never negative and was
        // checked against the file's length, so nothing below overflows.
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
        return Record(reading: bytes, at: offset &+ index &* Record.byteCount)
    }

    /// Returns the offset in the file of the entry with this number, for errors.
    func offset(of index: Int) -> Int { offset + index * Record.byteCount }
}

extension RecordTable<ReferenceRecord> {
    /// Returns true when `number` is in one of the `count` entries from `first` on, which must be ascending. Returns
    /// false when these entries are not all in the table.
    @inlinable
    @inline(__always)
    public func contains(_ number: UInt32, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * ReferenceRecord.byteCount, count: count)
    }
}

extension RecordTable<NumberRecord> {
    /// Returns true when `number` is in one of the `count` entries from `first` on, which must be ascending. Returns
    /// false when these entries are not all in the table.
    @inlinable
    @inline(__always)
    public func contains(_ number: Int64, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * NumberRecord.byteCount, count: count)
    }
}
