public import System
internal import Vocabulary

/// The bytes of a table, read block by block: never more of them in memory than a block and a row.
public struct FactsInput: ~Copyable {
    private let descriptor: FileDescriptor?
    private let blockByteCount: Int
    private var source: [UInt8]
    private var sourcePosition = 0
    /// How many bytes were read.
    private var readByteCount = 0

    /// What is in memory; ``start`` up to ``end`` has not been taken yet.
    private(set) var bytes: [UInt8]
    private(set) var start = 0
    private(set) var end = 0
    /// Whether nothing comes after ``end``.
    private(set) var isLast = false
    /// How many bytes were taken.
    private(set) var takenByteCount = 0

    /// Reads what comes out of a descriptor.
    public init(reading descriptor: consuming FileDescriptor) {
        self.descriptor = consume descriptor
        source = []
        blockByteCount = FactsCompilerLimits.blockByteCount
        bytes = [UInt8](repeating: 0, count: FactsCompilerLimits.blockByteCount)
    }

    /// Reads bytes in memory; blocks may be short, so that a test sees every seam.
    public init(bytes source: [UInt8], blockByteCount: Int = FactsCompilerLimits.blockByteCount) {
        descriptor = nil
        self.source = source
        self.blockByteCount = max(blockByteCount, 1)
        bytes = [UInt8](repeating: 0, count: max(blockByteCount, 1))
    }

    /// Takes bytes: the next row begins behind them.
    mutating func take(upTo position: Int) {
        takenByteCount += position - start
        start = position
    }

    /// Reads more behind what is there.
    mutating func readMore() throws(FactsCompilerError) {
        if start > 0 {
            for index in start..<end { bytes[index - start] = bytes[index] }
            (start, end) = (0, end - start)
        }
        if end == bytes.count { bytes += [UInt8](repeating: 0, count: blockByteCount) }
        let count = try SystemCallError.mapped(to: FactsCompilerError.input, try read())
        end += count
        readByteCount += count
        if count == 0 { isLast = true }
    }

    /// Goes back to a place where ``takenByteCount`` was less: what was taken behind it is there once more.
    ///
    /// - Returns: false when the bytes come from where nobody can go back, a pipe; then nothing has changed.
    mutating func goBack(to byteCount: Int) -> Bool {
        if descriptor == nil {
            sourcePosition += byteCount - readByteCount
        } else {
            do throws(SystemCallError) {
                try descriptor?.seek(by: byteCount - readByteCount)
            } catch {
                return false
            }
        }
        (start, end, isLast) = (0, 0, false)
        (takenByteCount, readByteCount) = (byteCount, byteCount)
        return true
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
