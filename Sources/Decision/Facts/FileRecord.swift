public import System

/// An entry of fixed width in a section. It consists of whole numbers, little-endian, and every byte belongs to a
/// field.
///
/// The stored properties are the layout: an entry lies in memory as it lies in the file. `DataFilesTests` compares the
/// places and widths of the properties with FORMAT.md. Reading an entry does not check what its numbers mean: the
/// process that loads a file checks that once, when it opens the file.
public protocol FileRecord: BitwiseCopyable, Hashable, Sendable {}

/// An entry that another module writes.
public protocol WrittenRecord: FileRecord {
    init()
}

extension WrittenRecord {
    /// Makes an entry with the fields that `set` assigns; all others are zero or none.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

extension FileRecord {
    @inlinable
    public static var byteCount: Int { MemoryLayout<Self>.size }

    public static func offset(of field: PartialKeyPath<Self>) -> Int {
        guard let offset = MemoryLayout<Self>.offset(of: field) else {
            preconditionFailure("a field is a stored property")
        }
        return offset
    }

    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let entry = bytes.load(as: Self.self, at: offset) else { return nil }
        self = entry
    }
}

/// Returns the offset in the file of a field of the entry at `offset`, for errors.
func field<Record: FileRecord>(_ field: PartialKeyPath<Record>, at offset: Int) -> Int {
    offset + Record.offset(of: field)
}

public struct RecordTable<Record: FileRecord>: Sendable {
    @usableFromInline let offset: Int
    public let count: Int

    public init(offset: Int, count: Int) {
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

    func offset(of index: Int) -> Int { offset + index * Record.byteCount }
}

/// An entry of `numberLists`: one operand that is not a string. The operands of a list stand together, ascending,
/// without repetition. The operands of `between` are the two ends of the range.
public struct NumberRecord: FileRecord {
    /// An integer, a date in milliseconds since 1970, or 0 and 1 for false and true.
    public var number: Int64 = 0

    public init(number: Int64 = 0) { self.number = number }
}

/// An entry that is one number of 32 bits: a reference in `stringLists`, `columnLists`, `ruleLists` and
/// `stringBuckets`, a place among the bytes of `strings` in `stringIndex`. The strings of one list stand together, in
/// order, without repetition.
public struct ReferenceRecord: FileRecord {
    public var reference = EntryReference.none

    public init(reference: EntryReference = .none) { self.reference = reference }
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
    @inlinable
    @inline(__always)
    public func contains(_ number: Int64, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * NumberRecord.byteCount, count: count)
    }
}

/// The number of an entry in another section: a string, an outcome, a condition.
public struct EntryReference: BitwiseCopyable, Sendable, Hashable {
    /// The number of the entry; all bits set means "none".
    public let number: UInt32

    @inlinable
    @inline(__always)
    public init(_ number: UInt32) {
        self.number = number
    }

    @inlinable public static var none: EntryReference { EntryReference(.max) }

    @inlinable
    public var isNone: Bool { number == .max }

    @inlinable
    public var index: Int { Int(number) }
}

/// The bytes of an opened data file: mapped memory or a copy.
public enum DataFileBytes: ~Copyable, Sendable {
    /// A mapping of memory, or of a file, that nobody changes any more.
    case mapped(MappedMemory)
    /// A copy in memory, for tools and tests.
    case copied([UInt8])

    public borrowing func readAhead() {
        switch self {
        case .mapped(let memory): memory.readAhead()
        case .copied: break
        }
    }

    @inlinable
    @inline(__always)
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .mapped(let memory): try memory.withBytes(body)
        case .copied(let bytes): try bytes.span.withRawBytes(body)
        }
    }
}

extension DataFileHeader {
    /// Reads the header of a whole file. If `check` is `.full`, it also compares the digest and the checksums.
    public init(opening bytes: RawSpan, check: DataFileCheck) throws(DataFileError) {
        try self.init(reading: bytes)
        if check == .full { try checkContents(bytes) }
    }
}
