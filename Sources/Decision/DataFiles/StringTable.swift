public import System

/// The strings of a file: each once, in the order of their bytes, so that a string of a request is found once by
/// halving and from then on compared as a number.
public struct StringTable: Sendable {
    @usableFromInline let index: RecordTable<ReferenceRecord>
    @usableFromInline let poolOffset: Int
    @usableFromInline let poolByteCount: Int

    init(index: RecordTable<ReferenceRecord>, poolOffset: Int, poolByteCount: Int) {
        self.index = index
        self.poolOffset = poolOffset
        self.poolByteCount = poolByteCount
    }

    /// The number of strings.
    @inlinable
    public var count: Int { Swift.max(index.count - 1, 0) }

    /// Where a string's bytes stand in the file; nil when there is no such string or it would reach outside.
    @inlinable
    public func range(of reference: EntryReference, in bytes: RawSpan) -> Range<Int>? {
        // Where a string begins and where the next one does stand side by side.
        guard reference.index < index.count - 1,
            let both = bytes.uint64(at: index.offset &+ reference.index &* ReferenceRecord.byteCount)
        else { return nil }
        let start = Int(UInt32(truncatingIfNeeded: both))
        let end = Int(both >> 32)
        guard start <= end, end <= poolByteCount else { return nil }
        return poolOffset &+ start..<poolOffset &+ end
    }

    /// The number of the string with exactly these bytes; none when the file has no such string.
    @inlinable
    public func find(_ text: Span<UInt8>, in bytes: RawSpan) -> EntryReference {
        var low = 0
        var high = count
        while low < high {
            let middle = low &+ (high &- low) / 2
            let reference = EntryReference(UInt32(truncatingIfNeeded: middle))
            guard let range = range(of: reference, in: bytes),
                let order = bytes.compare(offset: range.lowerBound, byteCount: range.count, with: text)
            else { return .none }
            if order == 0 { return reference }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return .none
    }

    /// Whether a string of the file starts `text`.
    @inlinable
    public func isPrefix(_ reference: EntryReference, of text: Span<UInt8>, in bytes: RawSpan) -> Bool {
        guard let range = range(of: reference, in: bytes), range.count <= text.count else { return false }
        let start = text.extracting(first: range.count)
        return bytes.compare(offset: range.lowerBound, byteCount: range.count, with: start) == 0
    }

    /// A copy of a string; nil when there is no such string or it is not UTF-8.
    public func string(_ reference: EntryReference, in bytes: RawSpan) -> String? {
        guard let range = range(of: reference, in: bytes) else { return nil }
        return bytes.bytes(offset: range.lowerBound, byteCount: range.count).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }

    /// Checks what the lookups rely on: ascending, without repetition, inside the pool, nothing left over, UTF-8.
    func check(_ bytes: RawSpan) throws(DataFileError) {
        let section = RulesSection.stringIndex.name
        guard index.record(at: 0, in: bytes)?.reference.number == 0 else {
            throw DataFileError(.badString, section: section, offset: index.offset(of: 0))
        }
        var before: [UInt8]?
        for number in 0..<count {
            let entry = index.offset(of: number)
            guard let range = range(of: EntryReference(UInt32(number)), in: bytes),
                let text = bytes.bytes(offset: range.lowerBound, byteCount: range.count)
            else { throw DataFileError(.badString, section: section, offset: entry) }
            guard before.map({ $0.lexicographicallyPrecedes(text) }) ?? true else {
                throw DataFileError(.unordered, section: section, offset: entry)
            }
            guard String(validating: text, as: UTF8.self) != nil else {
                throw DataFileError(
                    .badString,
                    section: RulesSection.strings.name,
                    offset: range.lowerBound
                )
            }
            before = text
        }
        guard index.record(at: count, in: bytes)?.reference.index == poolByteCount else {
            throw DataFileError(.badString, section: section, offset: index.offset(of: count))
        }
    }
}
