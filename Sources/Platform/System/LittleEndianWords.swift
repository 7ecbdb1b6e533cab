/// Whole numbers as the bytes that data files have.
public enum LittleEndianWords {
    /// Lends the bytes of `words`, least significant byte first, as every machine that this builds for has them.
    public static func withBytes<Word: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
        of words: [Word],
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(Span(_bytes: RawSpan(_elements: words.span)))
    }
}

extension [UInt8] {
    /// Appends a value of fixed layout as it lies in memory: only for types of whole numbers alone, without gaps.
    public mutating func append(copying value: some BitwiseCopyable) {
        unsafe Swift.withUnsafeBytes(of: value) { bytes in
            unsafe append(contentsOf: bytes)
        }
    }

    /// Puts a value of fixed layout in the place of as many bytes from `offset` on, which must be there.
    public mutating func replace(copying value: some BitwiseCopyable, at offset: Int) {
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
