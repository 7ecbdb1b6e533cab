/// An entry of `localeFallbacks`, in the order of `locale`.
public struct FallbackRecord: FileRecord {
    /// The locale in which there is no message, a string.
    public var locale = EntryReference.none
    /// The locale to try next, a string.
    public var fallback = EntryReference.none

    public init() {}
}
