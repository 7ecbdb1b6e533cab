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

    private let kinds: [ValueKind]
    private var present: UInt64 = 0
    private var values: [UInt64]
    private var row: [UInt8]

    /// Starts without rows. Columns beyond the limit are our own mistake: compilers refuse them.
    public init(columns: [Column]) {
        precondition(columns.count <= DataFileLimits.factCount, "too many columns")
        self.columns = columns
        kinds = columns.map(\.kind)
        numbers = Array(repeating: FactsNumberStatistics(), count: columns.count)
        strings = Array(repeating: FactsStringColumn(), count: columns.count)
        partitions = Array(repeating: FactsPartition(), count: FactsPartition.count)
        values = Array(repeating: 0, count: columns.count)
        // A key, a line and the mask, and at most ten bytes for each value.
        row = Array(repeating: 0, count: 8 + 10 + 8 + columns.count * 10)
    }

    /// Gives the row a whole number, a date in milliseconds since 1970, or a truth value as 0 or 1.
    @inline(__always)
    public mutating func set(_ value: Int64, column: Int) {
        values[column] = UInt64(bitPattern: value)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Gives the row a string, which the caller knows to be UTF-8.
    ///
    /// - Throws: `facts.too-much-text`.
    public mutating func set(_ text: Span<UInt8>, column: Int) throws(FactsBuildError) {
        guard let number = strings[column].intern(text) else {
            throw .tooMuchText(limitBytes: Int(UInt32.max))
        }
        values[column] = UInt64(number)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Forgets the row that is being put together.
    public mutating func discard() {
        present = 0
    }

    /// Ends the row. `line` says where it stands, for errors; lines do not go back.
    public mutating func commit(key: UInt64, line: Int) {
        let partition = Int(truncatingIfNeeded: FactsKey.mixed(key) >> UInt64(64 - FactsPartition.bits))
        for index in kinds.indices where present >> UInt64(truncatingIfNeeded: index) & 1 == 1 {
            if kinds[index] == .string {
                strings[index].use(Int(truncatingIfNeeded: values[index]))
            } else {
                numbers[index].add(Int64(bitPattern: values[index]))
            }
        }
        let distance = line &- partitions[partition].lastLine
        let count = Self.encode(key, UInt64(truncatingIfNeeded: distance), present, kinds, values, into: &row)
        partitions[partition].append(row, byteCount: count, line: line)
        rowCount += 1
        present = 0
    }

    /// Puts a row together as a ``FactsPartition`` keeps it; answers its length.
    private static func encode(
        _ key: UInt64,
        _ lineDistance: UInt64,
        _ present: UInt64,
        _ kinds: [ValueKind],
        _ values: [UInt64],
        into row: inout [UInt8]
    ) -> Int {
        var bytes = row.mutableSpan
        var end = 0
        bytes.put(key, byteCount: 8, at: &end)
        put(lineDistance, &bytes, &end)
        bytes.put(present, byteCount: (kinds.count + 7) / 8, at: &end)
        for index in kinds.indices where present >> UInt64(truncatingIfNeeded: index) & 1 == 1 {
            let value = values[index]
            switch kinds[index] {
            case .string: put(value, &bytes, &end)
            case .date: put(FactsNumberCode.foldedDate(Int64(bitPattern: value)), &bytes, &end)
            case .integer, .boolean: put(FactsNumberCode.folded(Int64(bitPattern: value)), &bytes, &end)
            }
        }
        return end
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    @inline(__always)
    private static func put(_ number: UInt64, _ bytes: inout MutableSpan<UInt8>, _ end: inout Int) {
        var rest = number
        while rest >= 0x80 {
            bytes[end] = UInt8(truncatingIfNeeded: rest) | 0x80
            end += 1
            rest >>= 7
        }
        bytes[end] = UInt8(truncatingIfNeeded: rest)
        end += 1
    }
}
