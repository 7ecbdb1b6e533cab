/// An entry of `segments`; its condition refers to earlier ones only.
public struct SegmentRecord: FileRecord {
    /// The name, a string.
    public var name = EntryReference.none
    /// The root of its condition in `conditions`.
    public var condition = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
