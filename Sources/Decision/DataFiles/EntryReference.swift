/// The number of an entry in another section: a string, an outcome, a condition.
package struct EntryReference: Sendable, Hashable {
    /// The number; all ones mean "none".
    package let number: UInt32

    /// Refers to the entry with this number.
    @inlinable
    package init(_ number: UInt32) {
        self.number = number
    }

    /// Refers to no entry.
    @inlinable package static var none: EntryReference { EntryReference(.max) }

    /// Whether it refers to no entry.
    @inlinable
    package var isNone: Bool { number == .max }

    /// The number as an index.
    @inlinable
    package var index: Int { Int(number) }
}
