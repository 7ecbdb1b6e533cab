/// A column of a facts file: one fact of every subscriber.
public struct FactColumn: Sendable, Hashable {
    /// The name of the fact in the rules.
    public let name: String
    /// The kind of the fact's values.
    public let kind: ValueKind
    /// The number of bits that a value takes in a row, without the bit that says whether there is a value.
    public let bitCount: Int

    package init(name: String, kind: ValueKind, bitCount: Int) {
        self.name = name
        self.kind = kind
        self.bitCount = bitCount
    }
}
