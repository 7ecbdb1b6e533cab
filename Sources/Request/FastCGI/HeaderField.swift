/// A header field of an answer (RFC 9110, section 5).
public struct HeaderField: Sendable, Hashable {
    public let name: StaticString
    /// The value of the field. Text of a client must not stand in it: a line feed would end the field.
    public let value: String

    public init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Makes the field `Allow` with the methods that an endpoint takes. It belongs to a 405.
    public static func allow(_ methods: String) -> HeaderField { HeaderField("Allow", methods) }

    /// Returns true when name and value have the same texts.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.description == right.name.description && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.description)
        hasher.combine(value)
    }
}
