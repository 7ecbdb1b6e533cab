public import System

/// The strings of a file: each once, in the order of their bytes. A decision finds a string of the request once, by its
/// hash, and from then on compares numbers.
public struct StringTable: Sendable {
    @usableFromInline let index: RecordTable<ReferenceRecord>
    @usableFromInline let poolOffset: Int
    @usableFromInline let poolByteCount: Int
    /// The hash table of the strings, see ``StringBuckets``. Empty for a facts file, whose strings nobody looks up.
    @usableFromInline let buckets: RecordTable<ReferenceRecord>

    public init(
        index: RecordTable<ReferenceRecord>, poolOffset: Int, poolByteCount: Int,
        buckets: RecordTable<ReferenceRecord> = RecordTable(offset: 0, count: 0)
    ) {
        self.index = index
        self.buckets = buckets
        self.poolOffset = poolOffset
        self.poolByteCount = poolByteCount
    }

    @inlinable
    public var count: Int { Swift.max(index.count - 1, 0) }

    /// Returns the place of a string's bytes in the file; nil when there is no such string or its bytes would reach
    /// outside.
    @inlinable
    public func range(of reference: EntryReference, in bytes: RawSpan) -> Range<Int>? {
        // The entry after a string's own tells where the string ends, so one load of eight bytes reads both.
        guard reference.index < index.count - 1,
            let both = bytes.uint64(at: index.offset &+ reference.index &* ReferenceRecord.byteCount)
        else { return nil }
        let start = Int(UInt32(truncatingIfNeeded: both))
        let end = Int(both >> 32)
        guard start <= end, end <= poolByteCount else { return nil }
        return poolOffset &+ start..<poolOffset &+ end
    }

    /// Returns the number of the string with exactly these bytes, or `.none` when the file has no such string.
    @inlinable
    public func find(_ text: Span<UInt8>, in bytes: RawSpan) -> EntryReference {
        let mask = buckets.count &- 1
        var place = Int(truncatingIfNeeded: text.wordHash) & mask
        // An empty bucket ends the search: there are twice as many buckets as strings.
        for _ in 0..<buckets.count {
            guard let number = buckets.record(at: place, in: bytes)?.reference,
                let range = range(of: number, in: bytes)
            else { return .none }
            if range.count == text.count,
                bytes.compare(offset: range.lowerBound, byteCount: range.count, with: text) == 0
            {
                return number
            }
            place = (place &+ 1) & mask
        }
        return .none
    }

    @inlinable
    public func isPrefix(_ reference: EntryReference, of text: Span<UInt8>, in bytes: RawSpan) -> Bool {
        guard let range = range(of: reference, in: bytes), range.count <= text.count else { return false }
        let start = text.extracting(first: range.count)
        return bytes.compare(offset: range.lowerBound, byteCount: range.count, with: start) == 0
    }

    public func string(_ reference: EntryReference, in bytes: RawSpan) -> String? {
        guard let range = range(of: reference, in: bytes) else { return nil }
        return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text in
            guard let text = try? UTF8Span(validating: text) else { return String?.none }
            return String(copying: text)
        } ?? nil
    }

    /// Checks what the lookups rely on: the strings are ascending, without repetition, UTF-8, inside the pool, and use
    /// all of it.
    ///
    /// It does not validate every string by itself: it checks that the pool as a whole is UTF-8 and that no string
    /// begins inside a character. This stays fast with millions of strings.
    func check(_ bytes: RawSpan, longest: Int = .max) throws(DataFileError) {
        let wrong = bytes.withSpan(offset: poolOffset, byteCount: poolByteCount) { $0.firstNonUTF8 ?? -1 }
        guard let wrong, wrong < 0 else {
            throw error(.badString, .strings, poolOffset + (wrong ?? 0))
        }
        guard index.record(at: 0, in: bytes)?.reference.number == 0 else {
            throw error(.badString, .stringIndex, index.offset(of: 0))
        }
        var before = 0..<0
        for number in 0..<count {
            let entry = index.offset(of: number)
            guard let range = range(of: EntryReference(UInt32(number)), in: bytes), range.count <= longest
            else {
                throw error(.badString, .stringIndex, entry)
            }
            if let first = bytes.uint8(at: range.lowerBound), !range.isEmpty, first & 0xC0 == 0x80 {
                throw error(.badString, .stringIndex, entry)
            }
            guard number == 0 || Self.precedes(before, range, bytes) else {
                throw error(.unordered, .stringIndex, entry)
            }
            before = range
        }
        guard index.record(at: count, in: bytes)?.reference.index == poolByteCount else {
            throw error(.badString, .stringIndex, index.offset(of: count))
        }
    }

    private static func precedes(_ left: Range<Int>, _ right: Range<Int>, _ bytes: RawSpan) -> Bool {
        let order = bytes.withSpan(offset: right.lowerBound, byteCount: right.count) {
            bytes.compare(offset: left.lowerBound, byteCount: left.count, with: $0)
        }
        return order.flatMap { $0 }.map { $0 < 0 } ?? false
    }

    private func error(_ reason: DataFileError.Reason, _ section: FactsSection, _ offset: Int)
        -> DataFileError
    {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
