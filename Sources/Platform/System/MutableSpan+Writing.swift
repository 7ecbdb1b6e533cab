internal import Glibc

/// Checked writing of bytes and little-endian integers at any offset, at the speed of memory. As with a subscript, an
/// offset outside the span is a fatal error.
extension MutableSpan<UInt8> {
    /// Writes the eight bytes of `word` from `offset` on, least significant byte first.
    @inlinable
    @inline(__always)
    public mutating func put(_ word: UInt64, at offset: Int) {
        var raw = unsafe mutableBytes
        raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes all of `bytes` from `offset` on.
    public mutating func put(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count && offset <= count - bytes.count, "outside")
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                guard let to = target.baseAddress, let from = source.baseAddress else { return }
                unsafe memmove(to + offset, from, source.count)
            }
        }
    }
}
