internal import Glibc

/// Checked writing of bytes and little-endian integers at any place, as fast as memory. Every place must be inside,
/// as with a subscript.
extension MutableSpan<UInt8> {
    /// Writes eight bytes from `offset`, least significant byte first.
    @inlinable
    @inline(__always)
    public mutating func put(_ word: UInt64, at offset: Int) {
        var raw = unsafe mutableBytes
        raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes all of `bytes` from `offset`.
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
