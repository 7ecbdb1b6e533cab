/// Rows whose mixed keys begin with the same bits, in a compact form until it is known how wide the columns are.
///
/// A row is its key, 8 bytes; how many lines after the row before it stands; which columns have a value, a bit each;
/// and the values, one after the other. Numbers take as many bytes as they need, seven bits in each.
struct FactsPartition {
    /// A block that rows are put into until it is full; none stands in two.
    static let chunkByteCount = 32 << 10
    /// Partitions are told apart by so many bits of the mixed key.
    static let bits = 8
    /// How many there are.
    static let count = 1 << bits

    private(set) var chunks: [[UInt8]] = []
    private(set) var rowCount = 0
    private(set) var lastLine = 0

    /// Adds a row that has been put together.
    @inline(__always)
    mutating func append(_ row: [UInt8], byteCount: Int, line: Int) {
        if chunks.isEmpty || chunks[chunks.count - 1].count + byteCount > Self.chunkByteCount {
            var chunk: [UInt8] = []
            chunk.reserveCapacity(Self.chunkByteCount)
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(contentsOf: row[..<byteCount])
        rowCount += 1
        lastLine = line
    }

    /// Gives the memory back.
    mutating func removeAll() {
        chunks = []
    }
}

extension MutableSpan<UInt8> {
    /// Puts the lowest bytes of a word at `end`, the lowest first, and moves that behind them.
    @inline(__always)
    mutating func put(_ word: UInt64, byteCount: Int, at end: inout Int) {
        for index in 0..<byteCount {
            self[end + index] = UInt8(truncatingIfNeeded: word >> UInt64(truncatingIfNeeded: index << 3))
        }
        end += byteCount
    }
}

/// Reads what stands in a ``FactsPartition``.
struct FactsChunkCursor {
    private(set) var position = 0

    @inline(__always)
    mutating func word(_ bytes: Span<UInt8>, byteCount: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<byteCount { value |= UInt64(bytes[position + index]) << UInt64(index * 8) }
        position += byteCount
        return value
    }

    @inline(__always)
    mutating func number(_ bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }
}
