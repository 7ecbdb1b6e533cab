internal import System

public indirect enum JSONNode: Sendable {
    case object([(String, JSONNode)])
    case array([JSONNode])
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case null

    /// Returns the JSON text in UTF-8, without a line feed at the end: on one line, or with `pretty` on several, indented by two
    /// spaces a level.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var text = TextBuffer()
        append(to: &text, indentation: pretty ? 0 : nil)
        return text.bytes
    }

    private func append(to text: inout TextBuffer, indentation: Int?) {
        let inner = indentation.map { $0 + 1 }
        switch self {
        case .object(let members):
            text.append("{")
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { text.append(",") }
                Self.breakLine(inner, &text)
                text.append(quoted: name)
                text.append(indentation == nil ? ":" : ": ")
                value.append(to: &text, indentation: inner)
            }
            if !members.isEmpty { Self.breakLine(indentation, &text) }
            text.append("}")
        case .array(let elements):
            text.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(",") }
                Self.breakLine(inner, &text)
                element.append(to: &text, indentation: inner)
            }
            if !elements.isEmpty { Self.breakLine(indentation, &text) }
            text.append("]")
        case .string(let string): text.append(quoted: string)
        case .integer(let value): text.append(decimal: value)
        case .real(let value): text.append(string: value.isFinite ? "\(value)" : "null")
        case .boolean(let value): text.append(string: "\(value)")
        case .null: text.append("null")
        }
    }

    private static func breakLine(_ indentation: Int?, _ text: inout TextBuffer) {
        guard let indentation else { return }
        text.append("\n")
        for _ in 0..<indentation { text.append("  ") }
    }
}

extension JSONNode: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONNode)...) { self = .object(members) }

    public init(_ count: Int?) { self = count.map { .integer(Int64($0)) } ?? .null }

    public init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// Milliseconds since 1970-01-01 UTC as RFC 3339.
    public static func time(_ milliseconds: Int64?) -> JSONNode {
        JSONNode(milliseconds.map { CivilTime(milliseconds: $0).exactDescription })
    }

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
