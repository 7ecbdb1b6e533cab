extension JSONNode {
    /// Makes a node that is a copy of a parsed value.
    public init(_ value: JSONValue) {
        self =
            switch value.kind {
            case .object: .object(value.members.map { ($0.name, JSONNode($0.value)) })
            case .array: .array(value.elements.map { JSONNode($0) })
            case .string: .string(value.string ?? "")
            case .integer: .integer(value.int64 ?? 0)
            case .real: .real(value.real ?? 0)
            case .boolean: .boolean(value.boolean ?? false)
            case .null: .null
            }
    }
}
