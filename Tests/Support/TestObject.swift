/// The members of a signed payload or of a JOSE header as JSON text, so that tests can write what no serializer would:
/// wrong types, repeated names, numbers beyond Int64.
public struct TestObject: Sendable, Hashable {
    /// Names and values as they are written, in order.
    public var members: [(name: String, json: String)] = []

    /// Makes an object of these members.
    public init(_ members: [(name: String, json: String)]) {
        self.members = members
    }

    /// Returns the object with the JSON of one member replaced, or with the member added when no member has that name.
    public func setting(_ name: String, _ json: String) -> TestObject {
        var copy = self
        if let index = copy.members.firstIndex(where: { $0.name == name }) {
            copy.members[index].json = json
        } else {
            copy.members.append((name, json))
        }
        return copy
    }

    /// Returns the object without a member.
    public func removing(_ name: String) -> TestObject {
        var copy = self
        copy.members.removeAll { $0.name == name }
        return copy
    }

    /// Returns the object with a member added at the end, even when another member has that name.
    public func adding(_ name: String, _ json: String) -> TestObject {
        var copy = self
        copy.members.append((name, json))
        return copy
    }

    /// The JSON text.
    public var text: [UInt8] {
        Array("{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}".utf8)
    }

    /// Compares the written text.
    public static func == (left: TestObject, right: TestObject) -> Bool { left.text == right.text }

    /// Hashes the written text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
