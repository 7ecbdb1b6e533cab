/// A field of an answer's header (RFC 9110, section 5).
public struct HeaderField: Sendable, Hashable {
    /// Its name.
    public let name: StaticString
    /// Its value.
    public let value: StaticString

    /// A field.
    public init(_ name: StaticString, _ value: StaticString) {
        self.name = name
        self.value = value
    }

    /// The methods that an endpoint takes, for a 405.
    public static func allow(_ methods: StaticString) -> HeaderField { HeaderField("Allow", methods) }

    /// Two static strings are equal when their text is.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.description == right.name.description && left.value.description == right.value.description
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.description)
        hasher.combine(value.description)
    }
}
