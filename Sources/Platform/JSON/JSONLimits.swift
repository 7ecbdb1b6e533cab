/// The limits of a JSON text, which are checked before the text is parsed.
///
/// jansson needs up to about 60 bytes of memory for each byte of a hostile text (`[[],[],…`), so `byteCount` also
/// limits memory. jansson calls itself once for each level of nesting, so `depth` limits the stack.
public struct JSONLimits: Sendable, Hashable {
    /// The longest text, in bytes.
    public let byteCount: Int
    /// The deepest nesting; `[]` has depth 1, a bare number 0.
    public let depth: Int

    /// The longest text, in bytes, in which jansson can count positions: they are C ints.
    static let greatestByteCount = Int(Int32.max) - 1

    /// Makes limits in bytes and in levels of nesting. A greater `byteCount` than jansson can handle is lowered.
    public init(byteCount: Int, depth: Int) {
        self.byteCount = min(byteCount, Self.greatestByteCount)
        self.depth = depth
    }
}
