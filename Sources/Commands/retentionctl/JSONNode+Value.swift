internal import JSON

extension JSONNode {
    /// A copy of a value that was read.
    init(_ value: JSONValue) {
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

    /// The value of a JSON text; nil when it is not one.
    init?(parsing text: [UInt8]) {
        let limits = JSONLimits(byteCount: Input.limitBytes, depth: 64)
        guard let document = try? JSONDocument(parsing: text.span, limits: limits) else { return nil }
        self.init(document.root)
    }
}
