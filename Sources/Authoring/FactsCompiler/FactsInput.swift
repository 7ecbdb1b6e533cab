public import System
internal import Vocabulary

/// The bytes of a table, read block by block. Memory never holds more than one block and one row.
public struct FactsInput: ~Copyable {
    private let descriptor: FileDescriptor?
    private let blockByteCount: Int
    private let source: [UInt8]
    private var sourcePosition = 0

    /// The buffer. The bytes from ``start`` to ``end`` are read but not taken yet.
    private(set) var bytes: [UInt8]
    private(set) var start = 0
    private(set) var end = 0
    /// True when the source has no more bytes after ``end``.
    private(set) var isLast = false
    /// The number of bytes that were taken.
    private(set) var takenByteCount = 0

    public init(reading descriptor: consuming FileDescriptor) {
        self.descriptor = consume descriptor
        source = []
        blockByteCount = FactsCompilerLimits.blockByteCount
        bytes = [UInt8](repeating: 0, count: FactsCompilerLimits.blockByteCount)
    }

    /// Reads the table from memory. Tests choose short blocks, so that a block may end at any place in a row.
    public init(bytes source: [UInt8], blockByteCount: Int = FactsCompilerLimits.blockByteCount) {
        descriptor = nil
        self.source = source
        self.blockByteCount = max(blockByteCount, 1)
        bytes = [UInt8](repeating: 0, count: max(blockByteCount, 1))
    }

    /// Takes the bytes before `position`; the next row begins there.
    mutating func take(upTo position: Int) {
        takenByteCount += position - start
        start = position
    }

    /// Reads the next block and appends it to the bytes that were not taken.
    mutating func readMore() throws(FactsCompilerError) {
        if start > 0 {
            for index in start..<end { bytes[index - start] = bytes[index] }
            (start, end) = (0, end - start)
        }
        if end == bytes.count { bytes += [UInt8](repeating: 0, count: blockByteCount) }
        let count = try SystemCallError.mapped(to: FactsCompilerError.input, try read())
        end += count
        if count == 0 { isLast = true }
    }

    private mutating func read() throws(SystemCallError) -> Int {
        guard descriptor != nil else {
            let count = min(bytes.count - end, blockByteCount, source.count - sourcePosition)
            for index in 0..<count { bytes[end + index] = source[sourcePosition + index] }
            sourcePosition += count
            return count
        }
        return try descriptor?.read(into: &bytes, from: end) ?? 0
    }
}
