/// Whole numbers as the bytes that data files contain.
public enum LittleEndianWords {
    /// Lends the bytes of `words`, least significant byte first. Every machine that this builds for stores them so.
    public static func withBytes<Word: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
        of words: [Word], _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(Span(_bytes: RawSpan(_elements: words.span)))
    }
}

extension [UInt8] {
    /// Appends the bytes of a value as they are in memory. Only for types made of whole numbers without gaps.
    public mutating func append(copying value: some BitwiseCopyable) {
        unsafe Swift.withUnsafeBytes(of: value) { bytes in
            unsafe append(contentsOf: bytes)
        }
    }

    /// Overwrites the bytes from `offset` on with those of a value of fixed layout. All of them must exist already.
    public mutating func replace(copying value: some BitwiseCopyable, at offset: Int) {
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
