public import DataFiles
internal import System

/// Collects the rows of a facts file and writes it. The rows wait in memory in a compact form, about as large as the
/// file; each is seen once.
///
/// A row is put together by ``set(_:column:)`` and its like and ends with ``commit(key:line:)`` or ``discard()``.
public struct FactsBuilder: ~Copyable {
    /// A column to be.
    public struct Column: Sendable, Hashable {
        /// The name of the fact, unique among the columns.
        public let name: String
        /// The kind of its values.
        public let kind: ValueKind

        /// Makes one.
        public init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The columns in their order; at most ``DataFileLimits/factCount``.
    public let columns: [Column]
    /// The rows that were taken.
    public private(set) var rowCount = 0

    var numbers: [FactsNumberStatistics]
    var strings: [FactsStringColumn]
    var partitions: [FactsPartition]
    var forms: [FactsRowForm]

    private let kinds: [ValueKind]
    /// The columns of which the row has a value, a bit each.
    public private(set) var present: UInt64 = 0
    /// The row's values from the second on, 0 where missing; the first is its line.
    private var values = FactsRowForm.noValues

    /// The most bytes that the different strings of a column have together.
    public static let textByteCount = Int(UInt32.max)

    /// Starts without rows. Columns beyond the limit are our own mistake: compilers refuse them.
    public init(columns: [Column], textByteCount: Int = Self.textByteCount) {
        precondition(columns.count <= DataFileLimits.factCount, "too many columns")
        self.columns = columns
        kinds = columns.map(\.kind)
        numbers = Array(repeating: FactsNumberStatistics(), count: columns.count)
        strings = Array(repeating: FactsStringColumn(limit: textByteCount), count: columns.count)
        partitions = Array(repeating: FactsPartition(), count: FactsPartition.count)
        forms = [FactsRowForm(columnCount: columns.count)]
    }

    /// Gives the row a whole number, a date in milliseconds since 1970, or a truth value as 0 or 1.
    @inline(__always)
    public mutating func set(_ value: Int64, column: Int) {
        values[column + 1] = UInt64(bitPattern: value)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Gives the row a string, which the caller knows to be UTF-8.
    ///
    /// - Throws: `facts.too-much-text`.
    public mutating func set(_ text: Span<UInt8>, column: Int) throws(FactsBuildError) {
        guard let number = strings[column].intern(text) else {
            throw .tooMuchText(limitBytes: strings[column].limit)
        }
        values[column + 1] = UInt64(number)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Gives the row a string that some row had before, this one or one that was discarded; false where none had it.
    public mutating func setKnown(_ text: Span<UInt8>, column: Int) -> Bool {
        guard let number = strings[column].find(text) else { return false }
        values[column + 1] = UInt64(number)
        present |= 1 << UInt64(truncatingIfNeeded: column)
        return true
    }

    /// Forgets the row that is being put together.
    public mutating func discard() {
        guard present != 0 else { return }
        present = 0
        values = FactsRowForm.noValues
    }

    /// Ends the row. `line` says where it stands, for errors; lines do not go back.
    public mutating func commit(key: UInt64, line: Int) {
        Self.count(present, kinds, &values, &numbers, &strings)
        let partition = Int(truncatingIfNeeded: FactsKey.mixed(key) >> UInt64(64 - FactsPartition.bits))
        partitions[partition].append(key, line: line, present, &values, &forms)
        rowCount += 1
        discard()
    }

    /// Takes the row's values down for choosing how they are stored, and makes small numbers of them.
    @inline(__always)
    private static func count(
        _ present: UInt64,
        _ kinds: [ValueKind],
        _ values: inout FactsRowForm.Values,
        _ numbers: inout [FactsNumberStatistics],
        _ strings: inout [FactsStringColumn]
    ) {
        var numbers = numbers.mutableSpan
        var rest = present
        while rest != 0 {
            let column = rest.trailingZeroBitCount
            rest &= rest &- 1
            let value = values[column + 1]
            let kind = kinds[column]
            guard kind != .string else {
                strings[column].use(Int(truncatingIfNeeded: value))
                continue
            }
            numbers[column].add(Int64(bitPattern: value))
            let distance = Int64(bitPattern: value) &- numbers[column].first
            values[column + 1] =
                kind == .date ? FactsNumberCode.foldedDate(distance) : FactsNumberCode.folded(distance)
        }
    }
}
