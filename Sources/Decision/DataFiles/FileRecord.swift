public import System

/// An entry of fixed width in a section: whole numbers only, little-endian, every byte accounted for.
///
/// The stored properties are the layout: an entry lies in memory as it lies in the file. `DataFilesTests` holds their
/// places and widths against FORMAT.md. Reading never fails on what the numbers mean; that is checked once, at opening,
/// by the process that loads.
public protocol FileRecord: BitwiseCopyable, Hashable, Sendable {
    /// An entry of zeros and of references to nothing.
    init()
}

extension FileRecord {
    /// The width in bytes.
    @inlinable
    public static var byteCount: Int { MemoryLayout<Self>.size }

    /// Where a field begins, in bytes from the entry's own beginning.
    package static func offset(of field: PartialKeyPath<Self>) -> Int {
        guard let offset = MemoryLayout<Self>.offset(of: field) else {
            preconditionFailure("a field is a stored property")
        }
        return offset
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let entry = bytes.load(as: Self.self, at: offset) else { return nil }
        self = entry
    }

    /// An entry with the fields that `set` gives it, everything else as in ``init()``.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

/// Where a field of the entry at `offset` begins in the file, for errors.
func field<Record: FileRecord>(_ field: PartialKeyPath<Record>, at offset: Int) -> Int {
    offset + Record.offset(of: field)
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
    @inline(__always)
    public func record(at index: Int, in bytes: RawSpan) -> Record? {
        // As an unsigned number a negative index is beyond any count, which is never negative and was held against the
        // file's length, so nothing below overflows.
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
        return Record(reading: bytes, at: offset &+ index &* Record.byteCount)
    }

    /// Where the entries from one up to another stand in the file, as far as there are such; nil where they are not all
    /// inside. Who looks at many of them checks the range once, and then each entry in it alone.
    @inlinable
    @inline(__always)
    public func range(from first: Int, to end: Int, in bytes: RawSpan) -> Range<Int>? {
        let last = Swift.min(end, count)
        guard first >= 0, first <= last else { return nil }
        let start = offset &+ first &* Record.byteCount
        let byteCount = (last &- first) &* Record.byteCount
        guard bytes.contains(offset: start, byteCount: byteCount) else { return nil }
        return start..<start &+ byteCount
    }

    /// Where the entry with a number starts in the file, for errors.
    func offset(of index: Int) -> Int { offset + index * Record.byteCount }
}

extension RecordTable<ReferenceRecord> {
    /// Whether some entries, which are ascending, hold a number; false where they are not all inside.
    @inlinable
    @inline(__always)
    public func contains(_ number: UInt32, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * ReferenceRecord.byteCount, count: count)
    }
}

extension RecordTable<NumberRecord> {
    /// Whether some entries, which are ascending, hold a number; false where they are not all inside.
    @inlinable
    @inline(__always)
    public func contains(_ number: Int64, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * NumberRecord.byteCount, count: count)
    }
}
