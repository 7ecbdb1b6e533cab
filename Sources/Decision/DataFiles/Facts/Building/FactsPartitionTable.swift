/// The rows of one partition, packed and brought into the order of the file.
struct FactsPartitionTable {
    let keys: [UInt64]
    private let lines: [Int]
    private let packed: [UInt8]
    private let rowByteCount: Int

    /// How rows are packed: the columns and where each begins.
    struct Shape {
        let plans: [FactsColumnPlan]
        let firstBits: [Int]
        let rowByteCount: Int

        init(_ plans: [FactsColumnPlan]) {
            self.plans = plans
            var bits = plans.count
            var firstBits: [Int] = []
            for plan in plans {
                firstBits.append(bits)
                bits += plan.bitCount
            }
            self.firstBits = firstBits
            rowByteCount = (bits + 7) / 8
        }

        /// Packs the values of the row at which the cursor stands. The words of a row are filled one after the other.
        @inline(__always)
        func pack(
            _ chunk: Span<UInt8>,
            _ cursor: inout FactsChunkCursor,
            into bytes: inout MutableSpan<UInt8>,
            at offset: Int
        ) {
            let present = cursor.word(chunk, byteCount: (plans.count + 7) / 8)
            var end = offset
            // What is not written yet: its lowest bits.
            var waiting = present
            var waitingCount = plans.count
            for column in plans.indices {
                let isPresent = present >> UInt64(truncatingIfNeeded: column) & 1 == 1
                let stored = isPresent ? plans[column].stored(cursor.number(chunk)) : 0
                let width = plans[column].bitCount
                // A shift by 64 gives 0, as it should.
                waiting |= stored << UInt64(truncatingIfNeeded: waitingCount)
                guard waitingCount + width >= 64 else {
                    waitingCount += width
                    continue
                }
                bytes.put(waiting, byteCount: 8, at: &end)
                waiting = stored >> UInt64(truncatingIfNeeded: 64 - waitingCount)
                waitingCount += width - 64
            }
            bytes.put(waiting, byteCount: (waitingCount + 7) / 8, at: &end)
        }
    }

    init(_ partition: FactsPartition, _ shape: Shape) {
        rowByteCount = shape.rowByteCount
        var keys: [UInt64] = []
        var lines: [Int] = []
        keys.reserveCapacity(partition.rowCount)
        lines.reserveCapacity(partition.rowCount)
        var packed = [UInt8](repeating: 0, count: partition.rowCount * shape.rowByteCount)
        var bytes = packed.mutableSpan
        var line = 0
        for chunk in partition.chunks {
            var cursor = FactsChunkCursor()
            while cursor.position < chunk.count {
                keys.append(cursor.word(chunk.span, byteCount: 8))
                line &+= Int(truncatingIfNeeded: cursor.number(chunk.span))
                lines.append(line)
                let offset = (keys.count - 1) * shape.rowByteCount
                shape.pack(chunk.span, &cursor, into: &bytes, at: offset)
            }
        }
        self.keys = keys
        self.lines = lines
        self.packed = packed
    }

    /// The rows in the order of their buckets, ascending by key in each.
    struct Order {
        /// The rows, by their number in the partition.
        var rows: [Int]
        /// How many rows stand before each of the buckets.
        var starts: [Int]
    }

    /// Orders the rows; `buckets` are those of this partition.
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

    /// By insertion: buckets have about eight rows, and a crowded one is sorted as any list.
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

    /// Keys that stand in more than one row.
    func repeatedKeys(_ order: Order) -> [FactsBuildError.RepeatedKey] {
        var found: [FactsBuildError.RepeatedKey] = []
        for place in order.rows.indices.dropFirst() {
            let (row, before) = (order.rows[place], order.rows[place - 1])
            guard keys[row] == keys[before] else { continue }
            found.append(
                .init(
                    key: keys[row],
                    line: min(lines[row], lines[before]),
                    otherLine: max(lines[row], lines[before])
                )
            )
        }
        return found
    }

    /// The keys in order.
    func orderedKeys(_ order: Order) -> [UInt64] { order.rows.map { keys[$0] } }

    /// The packed rows in order.
    func orderedRows(_ order: Order) -> [UInt8] {
        var ordered: [UInt8] = []
        ordered.reserveCapacity(packed.count)
        for row in order.rows {
            ordered.append(contentsOf: packed[row * rowByteCount..<(row + 1) * rowByteCount])
        }
        return ordered
    }
}
