public import DataFiles
internal import System

/// Collects the rows of a facts file and writes the file. Each row is added once. The rows wait in memory in a compact
/// form that is about as large as the file, in partitions of their mixed keys, until all values have been seen and each
/// column's width is known. Then one partition after the other is packed, ordered and written.
///
/// Set the values of a row with ``set(_:column:)`` or ``setKnown(_:column:)``, then end it with ``commit(key:line:)``
/// or drop it with ``discard()``.
///
///     var builder = FactsBuilder(columns: [FactsBuilder.Column(name: "paidPeriods", kind: .integer)])
///     builder.set(12, column: 0)
///     builder.commit(key: 1_000_000_012_345_678, line: 2)
///     try builder.write(making, to: &output)
public struct FactsBuilder: ~Copyable {
    /// A column of the file.
    public struct Column: Sendable, Hashable {
        /// The name of the fact, unique among the columns.
        public let name: String
        public let kind: ValueKind

        /// Creates a column; its name must be unique among the columns.
        public init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The columns in their order; at most ``DataFileLimits/factCount``.
    public let columns: [Column]
    /// The number of rows that were committed.
    public private(set) var rowCount = 0

    var numbers: [FactsNumberStatistics]
    var strings: [FactsStringColumn]
    var partitions: [FactsPartition]
    var forms: [FactsRowForm]

    private let kinds: [ValueKind]
    /// A bit for each column: set when the current row has a value there.
    public private(set) var present: UInt64 = 0
    /// The current row: first its line, then the values of the columns. A missing value is 0.
    private var values = FactsRowForm.noValues

    /// The most bytes that the distinct strings of one column may have together.
    public static let textByteCount = Int(UInt32.max)

    /// Creates a builder without rows. More columns than the limit are a programming error: compilers refuse them before.
    public init(columns: [Column], textByteCount: Int = Self.textByteCount) {
        precondition(columns.count <= DataFileLimits.factCount, "too many columns")
        self.columns = columns
        kinds = columns.map(\.kind)
        numbers = Array(repeating: FactsNumberStatistics(), count: columns.count)
        strings = Array(repeating: FactsStringColumn(limit: textByteCount), count: columns.count)
        partitions = Array(repeating: FactsPartition(), count: FactsPartition.count)
        forms = [FactsRowForm(columnCount: columns.count)]
    }

    /// Sets a value of the row: a whole number, a date in milliseconds since 1970, or a Boolean as 0 or 1.
    @inline(__always)
    public mutating func set(_ value: Int64, column: Int) {
        values[column + 1] = UInt64(bitPattern: value)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Sets a string of the row. The caller has checked that it is UTF-8.
    ///
    /// - Throws: `facts.too-much-text`.
    public mutating func set(_ text: Span<UInt8>, column: Int) throws(FactsBuildError) {
        guard let number = strings[column].intern(text) else {
            throw .tooMuchText(limitBytes: strings[column].limit)
        }
        values[column + 1] = UInt64(number)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Sets a string that some row had before, even a discarded row. Returns false, and sets nothing, when no row had it.
    public mutating func setKnown(_ text: Span<UInt8>, column: Int) -> Bool {
        guard let number = strings[column].find(text) else { return false }
        values[column + 1] = UInt64(number)
        present |= 1 << UInt64(truncatingIfNeeded: column)
        return true
    }

    /// Discards the current row.
    public mutating func discard() {
        guard present != 0 else { return }
        present = 0
        values = FactsRowForm.noValues
    }

    /// Ends the row and adds it. `line` is its place in the source, for error messages, and never decreases.
    public mutating func commit(key: UInt64, line: Int) {
        Self.count(present, kinds, &values, &numbers, &strings)
        let partition = Int(truncatingIfNeeded: FactsKey.mixed(key) >> UInt64(64 - FactsPartition.bits))
        partitions[partition].append(key, line: line, present, &values, &forms)
        rowCount += 1
        discard()
    }

    /// Updates the statistics from which the columns are planned, and replaces each number by the code of its distance
    /// from the column's first value.
    @inline(__always)
    private static func count(
        _ present: UInt64, _ kinds: [ValueKind], _ values: inout FactsRowForm.Values,
        _ numbers: inout [FactsNumberStatistics], _ strings: inout [FactsStringColumn]
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
