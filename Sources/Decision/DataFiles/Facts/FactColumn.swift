/// A column of a facts file: one fact of every subscriber.
public struct FactColumn: Sendable, Hashable {
    /// The name of the fact, as rules say it.
    public let name: String
    /// The kind of its values.
    public let kind: ValueKind
    /// The bits that a value takes in a row, beside the one that says whether there is a value.
    public let bitCount: Int

    package init(name: String, kind: ValueKind, bitCount: Int) {
        self.name = name
        self.kind = kind
        self.bitCount = bitCount
    }
}
