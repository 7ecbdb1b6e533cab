internal import CJansson
internal import Glibc

public indirect enum JSONNode: Sendable {
    /// Members in the order in which they are written. When two have the same name, the value of the last is written.
    case object([(String, JSONNode)])
    case array([JSONNode])
    /// A string. Characters outside ASCII are written as they are, except those that a terminal acts on (``DisplayText``),
    /// which are escaped.
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case null

    /// Returns the JSON text in UTF-8, without a line feed at the end: on one line, or with `pretty` on several, indented by two
    /// spaces a level.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        JSONLibrary.seedHashTables()
        // JSON_INDENT(2) is a macro that Swift cannot see.
        let flags = Int(JSON_ENCODE_ANY) | (pretty ? 2 : Int(JSON_COMPACT))
        let tree = unsafe makeOwnedTree()
        defer { unsafe json_decref(tree) }
        guard let text = unsafe json_dumps(tree, flags) else { preconditionFailure("out of memory") }
        defer { unsafe free(text) }
        return JSONEscape.escapingActive(
            unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        )
    }

    private func makeOwnedTree() -> UnsafeMutablePointer<json_t> {
        let tree: UnsafeMutablePointer<json_t>? =
            switch self {
            case .object(let members): unsafe Self.makeOwnedObject(members)
            case .array(let elements): unsafe Self.makeOwnedArray(elements)
            case .string(var text):
                text.withUTF8 { bytes in
                    unsafe json_stringn(
                        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), bytes.count)
                }
            case .integer(let value): unsafe json_integer(json_int_t(value))
            case .real(let value): unsafe value.isFinite ? json_real(value) : json_null()
            case .boolean(let value): unsafe value ? json_true() : json_false()
            case .null: unsafe json_null()
            }
        guard let tree = unsafe tree else { preconditionFailure("out of memory") }
        return unsafe tree
    }

    private static func makeOwnedObject(_ members: [(String, JSONNode)]) -> UnsafeMutablePointer<json_t>? {
        guard let object = unsafe json_object() else { return nil }
        for (name, node) in members {
            var name = name
            let value = unsafe node.makeOwnedTree()
            let result = name.withUTF8 { key in
                unsafe json_object_setn_new(object, key.baseAddress, key.count, value)
            }
            precondition(result == 0, "out of memory")
        }
        return unsafe object
    }

    private static func makeOwnedArray(_ elements: [JSONNode]) -> UnsafeMutablePointer<json_t>? {
        guard let array = unsafe json_array() else { return nil }
        for element in elements {
            let value = unsafe element.makeOwnedTree()
            precondition(unsafe json_array_append_new(array, value) == 0, "out of memory")
        }
        return unsafe array
    }
}

extension JSONNode {
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
