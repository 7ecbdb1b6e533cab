/// Whole numbers as the bytes that data files have.
public enum LittleEndianWords {
    /// Lends the bytes of `words`, least significant byte first, without a copy where the machine has them so.
    public static func withBytes<Word: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
        of words: [Word],
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if _endian(little)
        let ordered = words
        #else
        let ordered = words.map(\.littleEndian)
        #endif
        return try body(Span(_bytes: RawSpan(_elements: ordered.span)))
    }
}
