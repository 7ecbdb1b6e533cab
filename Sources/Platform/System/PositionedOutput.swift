/// An output that takes bytes at any offset and lets the writer read them again.
public protocol PositionedOutput: ~Copyable {
    /// Writes all of `bytes` at an offset, which may be beyond the end. Bytes that are skipped are zero.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError)
    /// Reads at most `buffer.count` bytes from an offset. Returns their number, 0 at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int
}

/// A ``PositionedOutput`` in memory.
public struct MemoryOutput: PositionedOutput, Sendable {
    /// All bytes from offset 0 to the end of the last one written.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Writes all of `bytes` at an offset. Bytes that are skipped are zero.
    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let missing = offset + bytes.count - self.bytes.count
        if missing > 0 { self.bytes += [UInt8](repeating: 0, count: missing) }
        for index in bytes.indices { self.bytes[offset + index] = bytes[index] }
    }

    /// Reads at most `buffer.count` bytes from an offset. Returns their number, 0 at the end.
    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let count = min(buffer.count, max(bytes.count - offset, 0))
        for index in 0..<count { buffer[index] = bytes[offset + index] }
        return count
    }
}
