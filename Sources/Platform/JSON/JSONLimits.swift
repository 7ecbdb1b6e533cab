/// What a JSON text may cost before it is parsed at all.
///
/// jansson needs up to about 60 bytes of memory for each byte of a hostile text (`[[],[],…`), so `byteCount` also
/// bounds memory; it recurses once a level, so `depth` bounds the stack.
public struct JSONLimits: Sendable, Hashable {
    /// The longest text, in bytes.
    public let byteCount: Int
    /// The deepest nesting; `[]` has depth 1, a bare number 0.
    public let depth: Int

    /// The longest text jansson can count in its positions, which are C ints.
    static let greatestByteCount = Int(Int32.max) - 1

    /// Limits in bytes and in levels of nesting.
    public init(byteCount: Int, depth: Int) {
        self.byteCount = min(byteCount, Self.greatestByteCount)
        self.depth = depth
    }
}
