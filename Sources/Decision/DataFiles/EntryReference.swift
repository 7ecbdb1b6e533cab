/// The number of an entry in another section: a string, an outcome, a condition.
public struct EntryReference: BitwiseCopyable, Sendable, Hashable {
    /// The number; all ones mean "none".
    public let number: UInt32

    /// Refers to the entry with this number.
    @inlinable
    @inline(__always)
    public init(_ number: UInt32) {
        self.number = number
    }

    /// Refers to no entry.
    @inlinable public static var none: EntryReference { EntryReference(.max) }

    /// Whether it refers to no entry.
    @inlinable
    public var isNone: Bool { number == .max }

    /// The number as an index.
    @inlinable
    public var index: Int { Int(number) }
}
