internal import System

/// The waiting rows whose mixed keys begin with the same bits. They are packed in a ``FactsRowForm``.
struct FactsPartition {
    /// Rows of one form, one after the other, and ``FactsRowForm/slackByteCount`` bytes after the last row.
    struct Chunk {
        let form: Int
        let rowCount: Int
        let bytes: [UInt8]
    }

    static let bits = 8
    static let count = 1 << bits

    private static let chunkByteCount = 32 << 10

    private(set) var chunks: [Chunk] = []
    private(set) var rowCount = 0
    private(set) var line = 0
    private var open: [UInt8] = []
    private var openForm = 0
    private var openRowCount = 0

    /// The first value becomes the distance to the line of the row before. A wider value appends a form to `forms`.
    @inline(__always)
    mutating func append(
        _ key: UInt64, line: Int, _ present: UInt64, _ values: inout FactsRowForm.Values,
        _ forms: inout [FactsRowForm]
    ) {
        values[0] = UInt64(bitPattern: Int64(line &- self.line))
        while true {
            let last = forms.count - 1
            let rowByteCount = forms[last].byteCount
            let offset = openRowCount &* rowByteCount
            guard openForm == last, offset &+ rowByteCount <= open.count - FactsRowForm.slackByteCount else {
                close(forms)
                openForm = last
                continue
            }
            var bytes = open.mutableSpan
            if forms[last].put(key, present, &values, into: &bytes, at: offset) { break }
            forms.append(forms[last].widened(for: values))
        }
        openRowCount &+= 1
        rowCount &+= 1
        self.line = line
    }

    mutating func close(_ forms: [FactsRowForm]) {
        if openRowCount > 0 {
            let end = openRowCount * forms[openForm].byteCount + FactsRowForm.slackByteCount
            chunks.append(Chunk(form: openForm, rowCount: openRowCount, bytes: Array(open[..<end])))
            openRowCount = 0
        } else if open.isEmpty {
            open = [UInt8](repeating: 0, count: Self.chunkByteCount)
        }
    }

    mutating func removeAll() {
        self = FactsPartition()
    }

    func keys(_ forms: [FactsRowForm]) -> [UInt64] {
        chunks.flatMap { chunk in
            let byteCount = forms[chunk.form].byteCount
            return chunk.bytes.span.withRawBytes { bytes in
                (0..<chunk.rowCount).map { bytes.uint64(at: $0 * byteCount) ?? 0 }
            }
        }
    }
}

/// The rows of one partition, packed as in the file and brought into the order of the file.
struct FactsPartitionTable {
    let keys: [UInt64]
    private let lines: [Int]
    private let packed: [UInt8]
    private let rowByteCount: Int

    init(_ partition: FactsPartition, _ forms: [FactsRowForm], _ shape: FactsRowShape) {
        let rowByteCount = shape.rowByteCount
        var keys: [UInt64] = []
        var lines: [Int] = []
        keys.reserveCapacity(partition.rowCount)
        lines.reserveCapacity(partition.rowCount)
        let byteCount = partition.rowCount * rowByteCount + FactsRowForm.slackByteCount
        var packed = [UInt8](repeating: 0, count: byteCount)
        var bytes = packed.mutableSpan
        var line = 0
        var end = 0
        for chunk in partition.chunks {
            let form = forms[chunk.form]
            chunk.bytes.span.withRawBytes { waiting in
                for row in 0..<chunk.rowCount {
                    let offset = row &* form.byteCount
                    keys.append(waiting.uint64(at: offset) ?? 0)
                    line &+= form.lineDistance(waiting, at: offset)
                    lines.append(line)
                    shape.pack(form, waiting, at: offset, into: &bytes, at: end)
                    end += rowByteCount
                }
            }
        }
        self.keys = keys
        self.lines = lines
        self.packed = packed
        self.rowByteCount = rowByteCount
    }

    struct Order {
        var rows: [Int]
        var starts: [Int]
    }

    func order(_ buckets: Range<Int>, among bucketCount: Int) -> Order {
        var starts = [Int](repeating: 0, count: buckets.count + 1)
        var places = [Int](repeating: 0, count: keys.count)
        for index in keys.indices {
            let bucket = FactsKey.bucket(of: keys[index], among: bucketCount) - buckets.lowerBound
            places[index] = bucket
            starts[bucket + 1] += 1
        }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var next = starts
        var rows = [Int](repeating: 0, count: keys.count)
        for index in keys.indices {
            rows[next[places[index]]] = index
            next[places[index]] += 1
        }
        for bucket in 0..<buckets.count { sort(&rows, starts[bucket]..<starts[bucket + 1]) }
        starts.removeLast()
        return Order(rows: rows, starts: starts)
    }

    /// A bucket has about eight rows, so insertion sort is used.
    private func sort(_ rows: inout [Int], _ range: Range<Int>) {
        guard range.count <= 64 else {
            rows[range].sort { (keys[$0], $0) < (keys[$1], $1) }
            return
        }
        for index in range.dropFirst() {
            let row = rows[index]
            let key = keys[row]
            var place = index
            while place > range.lowerBound, keys[rows[place - 1]] > key {
                rows[place] = rows[place - 1]
                place -= 1
            }
            rows[place] = row
        }
    }

    func repeatedKeys(_ order: Order) -> [FactsBuildError.RepeatedKey] {
        var found: [FactsBuildError.RepeatedKey] = []
        for place in order.rows.indices.dropFirst() {
            let (row, before) = (order.rows[place], order.rows[place - 1])
            guard keys[row] == keys[before] else { continue }
            found.append(
                .init(
                    key: keys[row], line: min(lines[row], lines[before]),
                    otherLine: max(lines[row], lines[before])))
        }
        return found
    }

    func unique(_ order: Order, keepsLast: Bool) -> Order {
        var result = Order(rows: [], starts: [])
        for (bucket, start) in order.starts.enumerated() {
            result.starts.append(result.rows.count)
            let end = bucket + 1 < order.starts.count ? order.starts[bucket + 1] : order.rows.count
            for place in start..<end {
                if place == start || keys[order.rows[place]] != keys[order.rows[place - 1]] {
                    result.rows.append(order.rows[place])
                } else if keepsLast {
                    result.rows[result.rows.count - 1] = order.rows[place]
                }
            }
        }
        return result
    }

    func orderedKeys(_ order: Order) -> [UInt64] { order.rows.map { keys[$0] } }

    func orderedRows(_ order: Order) -> [UInt8] {
        var ordered = [UInt8](repeating: 0, count: order.rows.count * rowByteCount)
        var bytes = ordered.mutableSpan
        let packed = packed.span
        var end = 0
        for row in order.rows {
            bytes.put(packed.extracting(row * rowByteCount..<(row + 1) * rowByteCount), at: end)
            end += rowByteCount
        }
        return ordered
    }
}

/// The layout of rows that wait in memory until the widths of the file's columns are known. Each value has as many bits
/// as the widest value before it needed. So all rows of a form have the same length, and every value has a fixed place.
///
/// A row begins with its key, 8 bytes. The bits that follow are a presence bit for each column, then the distance in lines
/// from the row before in the partition, then a value for each column. The bits of a missing value have no meaning.
struct FactsRowForm {
    struct Place {
        let firstBit: Int
        let bitCount: Int
        let mask: UInt64

        init(firstBit: Int, bitCount: Int) {
            self.firstBit = firstBit
            self.bitCount = bitCount
            mask = bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - bitCount)
        }
    }

    /// The line, and a value for each of ``DataFileLimits/factCount`` columns.
    typealias Values = [65 of UInt64]

    static var noValues: Values { Values(repeating: 0) }

    let places: [Place]
    let byteCount: Int
    private let presenceMask: UInt64

    /// The number of bytes after the last row that a write or read of a whole word may touch.
    static let slackByteCount = 8
    private static let presenceBit = 64

    private init(columnCount: Int, bitCounts: [Int]) {
        var bit = Self.presenceBit + columnCount
        var places: [Place] = []
        for bitCount in bitCounts {
            places.append(Place(firstBit: bit, bitCount: bitCount))
            bit += bitCount
        }
        self.places = places
        presenceMask = Place(firstBit: Self.presenceBit, bitCount: columnCount).mask
        byteCount = (bit + 7) / 8
    }

    init(columnCount: Int) {
        self.init(columnCount: columnCount, bitCounts: Array(repeating: 0, count: columnCount + 1))
    }

    /// Returns a form that also has room for these values, which are in the order of ``places``.
    func widened(for values: Values) -> FactsRowForm {
        let bitCounts = places.indices.map { index in
            max(places[index].bitCount, UInt64.bitWidth - values[index].leadingZeroBitCount)
        }
        return FactsRowForm(columnCount: places.count - 1, bitCounts: bitCounts)
    }

    /// Returns false when a value does not fit the form; the written bytes are then useless.
    @inline(__always)
    func put(
        _ key: UInt64, _ present: UInt64, _ values: inout Values, into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) -> Bool {
        bytes.put(key, at: offset)
        let places = places.span
        var writer = FactsBitWriter(at: offset + 8, beginningWith: present, bitCount: places.count - 1)
        var excess: UInt64 = 0
        for index in places.indices {
            let bitCount = places[index].bitCount
            excess |= values[index] & ~places[index].mask
            writer.put(values[index], bitCount: bitCount, into: &bytes)
        }
        bytes.put(writer.waiting, at: writer.end)
        return excess == 0
    }

    @inline(__always)
    func lineDistance(_ bytes: RawSpan, at offset: Int) -> Int {
        Int(truncatingIfNeeded: value(places[0], bytes, at: offset))
    }

    @inline(__always)
    func value(_ place: Place, _ bytes: RawSpan, at offset: Int) -> UInt64 {
        bytes.bits(first: offset &* 8 &+ place.firstBit, count: place.bitCount, mask: place.mask) ?? 0
    }

    @inline(__always)
    func present(_ bytes: RawSpan, at offset: Int) -> UInt64 {
        (bytes.uint64(at: offset &+ Self.presenceBit / 8) ?? 0) & presenceMask
    }
}

struct FactsRowShape {
    /// A column. It holds only numbers, so that packing a value counts no references.
    struct Column {
        let kind: ValueKind
        let firstBit: Int
        let bitCount: Int
        let base: Int64
        let divisor: FactsDivisor
        let firstRank: Int
    }

    let columns: [Column]
    let rowByteCount: Int
    /// The stored value of each string, column after column, and a 0 at the end for missing values.
    private let ranks: [UInt32]

    init(_ plans: [FactsColumnPlan], ranks: [UInt32]) {
        var bits = plans.count
        columns = plans.map { plan in
            defer { bits += plan.bitCount }
            return Column(
                kind: plan.kind, firstBit: bits, bitCount: plan.bitCount, base: plan.base &- plan.first,
                divisor: FactsDivisor(plan.unit), firstRank: plan.firstRank)
        }
        rowByteCount = (bits + 7) / 8
        self.ranks = ranks + [0]
    }

    @inline(__always)
    func pack(
        _ form: FactsRowForm, _ waiting: RawSpan, at offset: Int, into bytes: inout MutableSpan<UInt8>,
        at end: Int
    ) {
        let columns = columns.span
        let places = form.places.span
        let ranks = ranks.span
        let present = form.present(waiting, at: offset)
        var writer = FactsBitWriter(at: end, beginningWith: present, bitCount: columns.count)
        for index in columns.indices {
            let column = columns[index]
            let value = form.value(places[index + 1], waiting, at: offset)
            let stored: UInt64 =
                switch column.kind {
                case .string: UInt64(ranks[column.firstRank &+ Int(truncatingIfNeeded: value)])
                case .date: column.stored(FactsNumberCode.unfoldedDate(value))
                case .integer, .boolean: column.stored(FactsNumberCode.unfolded(value))
                }
            // A missing value is stored as 0. A mask is faster than a branch, since the processor cannot predict which
            // values are missing.
            let mask = 0 &- (present &>> UInt64(truncatingIfNeeded: index) & 1)
            writer.put(stored & mask, bitCount: column.bitCount, into: &bytes)
        }
        bytes.put(writer.waiting, at: writer.end)
    }
}

extension FactsRowShape.Column {
    @inline(__always)
    fileprivate func stored(_ distance: Int64) -> UInt64 {
        divisor.quotient(of: UInt64(bitPattern: distance &- base))
    }
}

/// Codes for the numbers of waiting rows: a number near zero has a small code, which needs few bits.
enum FactsNumberCode {
    /// Returns the code of a signed number: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    @inline(__always)
    static func folded(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }

    @inline(__always)
    static func unfolded(_ code: UInt64) -> Int64 {
        Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1)
    }

    /// The two lowest bits tell the unit: 0 days, 1 seconds, 2 milliseconds. Dates are far below 2^61, so they fit.
    @inline(__always)
    static func foldedDate(_ milliseconds: Int64) -> UInt64 {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard rest == 0 else { return folded(milliseconds) << 2 | 2 }
        let (days, part) = seconds.quotientAndRemainder(dividingBy: 86_400)
        return part == 0 ? folded(days) << 2 : folded(seconds) << 2 | 1
    }

    @inline(__always)
    static func unfoldedDate(_ code: UInt64) -> Int64 {
        let number = unfolded(code >> 2)
        switch code & 3 {
        case 0: return number &* 86_400_000
        case 1: return number &* 1000
        default: return number
        }
    }
}

struct FactsNumberStatistics {
    private(set) var first: Int64 = 0
    private(set) var least: Int64 = 0
    private(set) var greatest: Int64 = 0
    private(set) var step: UInt64 = 0
    private var divisor = FactsDivisor(1)
    private var isEmpty = true

    @inline(__always)
    mutating func add(_ value: Int64) {
        if isEmpty {
            (first, least, greatest, isEmpty) = (value, value, value, false)
            return
        }
        least = min(least, value)
        greatest = max(greatest, value)
        guard step != 1 else { return }
        let difference = UInt64(bitPattern: value > first ? value &- first : first &- value)
        if step == 0 || !divisor.divides(difference) { narrow(difference) }
    }

    private mutating func narrow(_ difference: UInt64) {
        var (a, b) = (step, difference)
        while b != 0 { (a, b) = (b, a % b) }
        step = a
        divisor = FactsDivisor(a)
    }
}

/// Many exact divisions, each at the cost of a multiplication (Granlund and Montgomery 1994, section 9).
struct FactsDivisor {
    let number: UInt64
    private let zeroBitCount: UInt64
    private let inverse: UInt64
    private let greatestQuotient: UInt64

    init(_ number: UInt64) {
        self.number = max(number, 1)
        zeroBitCount = UInt64(truncatingIfNeeded: self.number.trailingZeroBitCount)
        let odd = self.number >> zeroBitCount
        // Newton's method modulo 2^64: the first value is right in 3 bits, and each step doubles the number of right bits.
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        self.inverse = inverse
        greatestQuotient = UInt64.max / self.number
    }

    @inline(__always)
    func quotient(of dividend: UInt64) -> UInt64 {
        let product = dividend &* inverse
        return product &>> zeroBitCount | product &<< (0 &- zeroBitCount)
    }

    @inline(__always)
    func divides(_ dividend: UInt64) -> Bool { quotient(of: dividend) <= greatestQuotient }
}

/// Writes values of any bit length one after the other, in words of 64 bits.
struct FactsBitWriter {
    private(set) var end: Int
    private(set) var waiting: UInt64
    private(set) var waitingCount: Int

    @inline(__always)
    init(at offset: Int, beginningWith bits: UInt64, bitCount: Int) {
        end = offset
        waiting = bits
        waitingCount = bitCount
    }

    @inline(__always)
    mutating func put(_ value: UInt64, bitCount: Int, into bytes: inout MutableSpan<UInt8>) {
        // A shift by 64 gives 0, which is right here.
        waiting |= value << UInt64(truncatingIfNeeded: waitingCount)
        waitingCount &+= bitCount
        guard waitingCount >= 64 else { return }
        bytes.put(waiting, at: end)
        end &+= 8
        waitingCount &-= 64
        waiting = value >> UInt64(truncatingIfNeeded: bitCount &- waitingCount)
    }
}

extension RawSpan {
    /// The lowest bit of each byte comes first. Returns nil when the eight bytes are not all inside the span.
    @inline(__always)
    func bits(first: Int, count: Int, mask: UInt64) -> UInt64? {
        let start = first >> 3
        let shift = UInt64(truncatingIfNeeded: first & 7)
        guard var word = uint64(at: start) else { return nil }
        word &>>= shift
        if count &+ first & 7 > 64 {
            guard let rest = uint8(at: start &+ 8) else { return nil }
            word |= UInt64(rest) << (64 &- shift)
        }
        return word & mask
    }
}
