internal import DataFiles
internal import JSON
internal import Vocabulary

/// A line of a sample while it is read: a JSON object with functions that read its members.
struct SampleLine {
    let root: JSONValue
    /// The number of the line, counted from 1.
    let number: Int
    let path: String
    let bytes: [UInt8]

    /// Returns a finding about a value of the line, or about a key when `isKey` is true.
    func finding(
        code: String, _ message: String, hint: String? = nil, at place: JSONPath, isKey: Bool = false
    ) -> Finding {
        let positions = JSONPositions(source: bytes)
        let position = isKey ? positions.key(at: place) : positions.value(at: place)
        return Finding(code: code, message, hint: hint, file: path, line: number, column: position?.column)
    }

    func wrongType(_ name: String, _ form: String, at place: JSONPath? = nil) -> Finding {
        finding(code: "sample.wrong-type", "\(name) is not \(form)", at: place ?? [.member(name)])
    }

    func text(_ name: String) throws(Finding) -> String {
        guard let value = root.member(named: name) else {
            throw finding(code: "sample.missing-member", "\"\(name)\" is missing", at: [])
        }
        guard let text = value.string else { throw wrongType(name, "a text") }
        return text
    }

    func integer(_ name: String) throws(Finding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let number = value.int64 else { throw wrongType(name, "a whole number") }
        return number
    }

    func environment() throws(Finding) -> Environment? {
        guard let value = root.member("environment"), value.kind != .null else { return nil }
        guard let name = value.string.flatMap({ Environment(rawValue: $0) }) else {
            throw wrongType("environment", "one of Apple's")
        }
        return name
    }

    /// Reads a time: RFC 3339 text, or milliseconds since 1970 as Apple writes them; nil when the member is absent or
    /// null.
    func time(_ name: String) throws(Finding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let time = value.int64 ?? value.string.flatMap({ CivilTime($0)?.milliseconds }) else {
            throw wrongType(name, "a date as 2026-11-21T00:00:00Z, or milliseconds since 1970")
        }
        return time
    }

    func value(_ node: JSONNode, _ fact: (name: String, kind: ValueKind)) throws(Finding) -> FactValue {
        guard let value = FactLiteral.value(of: node, fact.kind) else {
            throw wrongType(
                fact.name, FactLiteral.form(of: fact.kind), at: [.member("facts"), .member(fact.name)])
        }
        return value
    }
}
