/// An entry of `localeFallbacks`, in the order of `locale`.
public struct FallbackRecord: FileRecord {
    /// The locale asked for, a string.
    public var locale = EntryReference.none
    /// The locale to try next, a string.
    public var fallback = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
