internal import Cryptography
public import System

/// Collects the rows of a facts file and writes the file. Each row is added once. The rows wait in memory in a compact
/// form that is about as large as the file, in partitions of their mixed keys, until all values have been seen and each
/// column's width is known. Then one partition after the other is packed, ordered and written.
///
/// Set the values of a row with ``set(_:column:)`` or ``setKnown(_:column:)``, then end it with ``commit(key:line:)``
/// or drop it with ``discard()``.
public struct FactsBuilder: ~Copyable {
    public struct Column: Sendable, Hashable {
        public let name: String
        public let kind: ValueKind

        public init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    public let columns: [Column]
    public private(set) var rowCount = 0
    public var duplicates = Duplicates.error

    public enum Duplicates: String, Sendable, CaseIterable {
        case error
        case first
        case last
    }

    var numbers: [FactsNumberStatistics]
    var strings: [FactsStringColumn]
    var partitions: [FactsPartition]
    var forms: [FactsRowForm]

    private let kinds: [ValueKind]
    public private(set) var present: UInt64 = 0
    /// The current row: first its line, then the values of the columns. A missing value is 0.
    private var values = FactsRowForm.noValues

    /// More columns than the limit are a programming error: compilers refuse them before.
    public init(columns: [Column]) {
        precondition(columns.count <= DataFileLimits.factCount, "too many columns")
        self.columns = columns
        kinds = columns.map(\.kind)
        numbers = Array(repeating: FactsNumberStatistics(), count: columns.count)
        strings = Array(repeating: FactsStringColumn(), count: columns.count)
        partitions = Array(repeating: FactsPartition(), count: FactsPartition.count)
        forms = [FactsRowForm(columnCount: columns.count)]
    }

    @inline(__always)
    public mutating func set(_ value: Int64, column: Int) {
        values[column + 1] = UInt64(bitPattern: value)
        present |= 1 << UInt64(truncatingIfNeeded: column)
    }

    /// Sets a string of the row. The caller has checked that it is UTF-8.
    public mutating func set(_ text: Span<UInt8>, column: Int) throws(FactsBuildError) {
        guard let number = strings[column].intern(text) else {
            throw .tooMuchText(limitBytes: FactsStringColumn.limit)
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

extension FactsBuilder {
    public consuming func write(
        _ making: FactsFileIdentity,
        to output: inout some PositionedOutput & ~Copyable,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsBuildError) {
        let strings = try FactsStringPlan(columns: self.strings, names: columns.map(\.name))
        var ranks: [UInt32] = []
        let plans = columns.indices.map { index in
            columns[index].kind == .string
                ? FactsColumnPlan(strings: strings.numbers[index], rowCount: rowCount, ranks: &ranks)
                : FactsColumnPlan(kind: columns[index].kind, numbers[index])
        }
        self.strings = []
        let frame = FactsFrame(plans: plans, ranks: ranks, strings: strings, rowCount: keyCount())
        var table: [DataFileSection] = []
        table += try frame.writeStrings(strings, to: &output)
        table += try frame.writeColumns(plans, names: strings.numbers.last ?? [], to: &output)
        table += try writeRows(frame, to: &output, progress: progress)
        try frame.writeHeader(making, table, to: &output)
    }

    private mutating func keyCount() -> Int {
        guard duplicates != .error else { return rowCount }
        var count = 0
        for index in partitions.indices {
            partitions[index].close(forms)
            count += Set(partitions[index].keys(forms)).count
        }
        return count
    }

    /// The number of buckets is a multiple of the number of partitions, so no bucket has rows of two partitions.
    private mutating func writeRows(
        _ frame: FactsFrame, to output: inout some PositionedOutput & ~Copyable, progress: (Int) -> Void
    ) throws(FactsBuildError) -> [DataFileSection] {
        var directory = FactsSectionStream(.directory, at: frame.directoryOffset)
        var keys = FactsSectionStream(.keys, at: frame.keysOffset)
        var rows = FactsSectionStream(.rows, at: frame.rowsOffset)
        var written = 0
        var repeated: (first: FactsBuildError.RepeatedKey, count: Int)?
        for index in partitions.indices {
            partitions[index].close(forms)
            let table = FactsPartitionTable(partitions[index], forms, frame.shape)
            partitions[index].removeAll()
            let first = index * frame.bucketsPerPartition
            var order = table.order(first..<first + frame.bucketsPerPartition, among: frame.bucketCount)
            if duplicates == .error {
                for key in table.repeatedKeys(order) {
                    let isFirst = repeated.map { key.otherLine < $0.first.otherLine } ?? true
                    repeated = (isFirst ? key : repeated?.first ?? key, (repeated?.count ?? 0) + 1)
                }
                // The file will not be used, so nothing more is written. The loop goes on to count the repeated keys.
                guard repeated == nil else { continue }
            } else {
                order = table.unique(order, keepsLast: duplicates == .last)
            }
            try frame.append(order.starts.map { $0 + written }, to: &directory, &output)
            try keys.append(table.orderedKeys(order), to: &output)
            try rows.append(table.orderedRows(order).span, to: &output)
            written += order.rows.count
            progress(written)
        }
        if let repeated { throw .repeatedKeys(first: repeated.first, count: repeated.count) }
        try frame.append([written], to: &directory, &output)
        let end = [UInt8](repeating: 0, count: FactsTables.rowsEndByteCount)
        try rows.append(end.span, to: &output)
        try directory.flush(to: &output)
        try keys.flush(to: &output)
        try rows.flush(to: &output)
        return [directory.entry, keys.entry, rows.entry]
    }
}

public enum FactsBuildError: CodedError, Hashable {
    case repeatedKeys(first: RepeatedKey, count: Int)
    case tooMuchText(limitBytes: Int)
    case output(SystemCallError)

    public struct RepeatedKey: Sendable, Hashable {
        public let key: UInt64
        public let line: Int
        public let otherLine: Int
    }

    public var code: String {
        switch self {
        case .repeatedKeys: "facts.repeated-key"
        case .tooMuchText: "facts.too-much-text"
        case .output(let error): error.code
        }
    }
}

/// How a column is stored. The plan is made when all values of the column are known.
struct FactsColumnPlan {
    let kind: ValueKind
    let base: Int64
    let unit: UInt64
    let bitCount: Int
    let first: Int64
    let firstRank: Int
    /// Empty when the rows store the numbers of the file's strings themselves.
    let listed: [UInt32]

    init(kind: ValueKind, _ numbers: FactsNumberStatistics) {
        self.kind = kind
        first = numbers.first
        firstRank = 0
        base = numbers.least
        unit = max(numbers.step, 1)
        let range = UInt64(bitPattern: numbers.greatest &- numbers.least) / unit
        bitCount = UInt64.bitWidth - range.leadingZeroBitCount
        listed = []
    }

    /// Plans a column of strings. `numbers` holds the number of each string in the file, or `UInt32.max` for an unused string.
    ///
    /// The column gets its own list of strings when that makes the file smaller, as it does with few strings in many rows. The
    /// stored value of each string is appended to `ranks`, in the order of the strings' numbers in the column.
    init(strings numbers: [UInt32], rowCount: Int, ranks: inout [UInt32]) {
        kind = .string
        unit = 1
        first = 0
        firstRank = ranks.count
        let used = numbers.filter { $0 != .max }.sorted()
        let least = used.first ?? 0
        let directBits = Self.bits(of: (used.last ?? 0) - least)
        let listedBits = Self.bits(of: UInt32(max(used.count, 1) - 1))
        let listByteCount = used.count * 4
        let saved = (directBits - listedBits).multipliedReportingOverflow(by: rowCount).partialValue / 8
        if used.count > 0, saved > listByteCount {
            base = 0
            bitCount = listedBits
            listed = used
            var places: [UInt32: UInt32] = [:]
            places.reserveCapacity(used.count)
            for (place, number) in used.enumerated() { places[number] = UInt32(place) }
            ranks += numbers.lazy.map { places[$0] ?? 0 }
        } else {
            base = Int64(least)
            bitCount = directBits
            listed = []
            ranks += numbers.lazy.map { $0 == .max ? 0 : $0 - least }
        }
    }

    private static func bits(of number: UInt32) -> Int { UInt32.bitWidth - number.leadingZeroBitCount }
}

public struct FactsFileIdentity: Sendable, Hashable {
    public var appAppleId: Int64
    public var environment: Environment
    public var stamp: DataFileStamp

    public init(appAppleId: Int64, environment: Environment, stamp: DataFileStamp) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.stamp = stamp
    }
}

public struct DataFileStamp: Sendable, Hashable {
    public var builtAtMilliseconds: Int64
    /// The name and version of the program that makes the file. Printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    public init(builtAtMilliseconds: Int64, writerVersion: String) {
        self.builtAtMilliseconds = builtAtMilliseconds
        self.writerVersion = writerVersion
    }

    /// Drops characters that are not printable ASCII, and fills with zeros.
    var writerField: [UInt8] {
        let count = DataFileHeader.writerVersionRange.count
        let text = Array(writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(count))
        return text + [UInt8](repeating: 0, count: count - text.count)
    }
}

extension DataFileHeader {
    static func beginning(
        appAppleId: Int64, environment: Environment, stamp: DataFileStamp,
        sections: [DataFileSection]
    ) -> [UInt8] {
        let header = HeaderRecord {
            $0.formatMajor = formatMajor
            $0.formatMinor = formatMinor
            $0.headerByteCount = UInt32(byteCount)
            $0.fileByteCount = UInt64(sections.last?.paddedEnd ?? byteCount)
            $0.kind = kind
            $0.environment = environment.dataFileNumber
            $0.sectionCount = UInt32(sections.count)
            $0.appAppleId = appAppleId
            $0.builtAtMilliseconds = stamp.builtAtMilliseconds
            $0.sectionTableOffset = UInt64(byteCount)
        }
        var file: [UInt8] = []
        file.append(copying: header)
        file.replaceSubrange(0..<magic.count, with: magic)
        file.replaceSubrange(writerVersionRange, with: stamp.writerField)
        for section in sections {
            let entry = SectionRecord {
                $0.kind = section.kind
                $0.offset = UInt64(section.offset)
                $0.byteCount = UInt64(section.byteCount)
                $0.checksum = section.checksum
            }
            file.append(copying: entry)
        }
        return file
    }
}
