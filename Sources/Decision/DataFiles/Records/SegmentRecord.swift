/// An entry of `segments`. Its condition refers to earlier segments only.
public struct SegmentRecord: FileRecord {
    /// The name of the segment, a string.
    public var name = EntryReference.none
    /// The root of the segment's condition, in `conditions`.
    public var condition = EntryReference.none

    public init() {}
}
