internal import System

/// The waiting rows whose mixed keys begin with the same bits. They are packed in a ``FactsRowForm``.
struct FactsPartition {
    /// Rows of one form, one after the other, and ``FactsRowForm/slackByteCount`` bytes after the last row.
    struct Chunk {
        let form: Int
        let rowCount: Int
        let bytes: [UInt8]
    }

    /// The number of bits of the mixed key that select a partition.
    static let bits = 8
    static let count = 1 << bits

    private static let chunkByteCount = 32 << 10

    private(set) var chunks: [Chunk] = []
    private(set) var rowCount = 0
    private(set) var line = 0
    /// The chunk that receives rows; its form is ``openForm``.
    private var open: [UInt8] = []
    private var openForm = 0
    private var openRowCount = 0

    /// Appends a row. Its first value becomes the distance between its line and the line of the row before. When a
    /// value is too wide for the last form, a wider form is appended to `forms`.
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

    /// Stores the open chunk if it has rows. Else allocates its buffer if there is none yet.
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

    /// The keys of the closed chunks.
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

    /// The rows in the order of their buckets, and in each bucket ascending by key.
    struct Order {
        /// The indexes of the rows in the partition.
        var rows: [Int]
        /// The number of rows before each bucket.
        var starts: [Int]
    }

    /// Returns the order of the rows. `buckets` are the buckets of this partition.
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

    /// Sorts the rows of a bucket by key. A bucket has about eight rows, so insertion sort is used; a bucket of more
    /// than 64 rows is sorted by the standard library.
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
                    otherLine: max(lines[row], lines[before]))
            )
        }
        return found
    }

    /// Returns the order without the rows that repeat a key. Rows of one key are in the order of their lines.
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

    /// Returns the packed rows in the given order.
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
