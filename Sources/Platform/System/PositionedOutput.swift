/// Where a writer puts bytes at offsets of its choice and can read them again.
public protocol PositionedOutput: ~Copyable {
    /// Writes all of `bytes` at an offset, beyond the end too: what is left out between is zero.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError)
    /// Reads at most `buffer.count` bytes from an offset; 0 at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int
}

/// A ``PositionedOutput`` in memory.
public struct MemoryOutput: PositionedOutput, Sendable {
    /// What was written.
    public private(set) var bytes: [UInt8] = []

    /// Starts empty.
    public init() {}

    /// Writes all of `bytes` at an offset.
    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let missing = offset + bytes.count - self.bytes.count
        if missing > 0 { self.bytes += [UInt8](repeating: 0, count: missing) }
        for index in bytes.indices { self.bytes[offset + index] = bytes[index] }
    }

    /// Reads at most `buffer.count` bytes from an offset; 0 at the end.
    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let count = min(buffer.count, max(bytes.count - offset, 0))
        for index in 0..<count { buffer[index] = bytes[offset + index] }
        return count
    }
}
