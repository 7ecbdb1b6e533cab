/// The number of an entry in another section: a string, an outcome, a condition.
public struct EntryReference: BitwiseCopyable, Sendable, Hashable {
    /// The number of the entry; all bits set means "none".
    public let number: UInt32

    /// Makes a reference to the entry with this number.
    @inlinable
    @inline(__always)
    public init(_ number: UInt32) {
        self.number = number
    }

    /// The reference to no entry.
    @inlinable public static var none: EntryReference { EntryReference(.max) }

    /// True when this refers to no entry.
    @inlinable
    public var isNone: Bool { number == .max }

    /// The number as an index into a table.
    @inlinable
    public var index: Int { Int(number) }
}
