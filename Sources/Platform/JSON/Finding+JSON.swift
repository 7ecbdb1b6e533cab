public import Vocabulary

extension Finding {
    public init(_ error: JSONError) {
        self.init(code: error.code, error.reason, line: error.position?.line, column: error.position?.column)
    }

    /// The finding as a JSON object. Members without a value, such as an unknown line, are left out.
    public var json: JSONNode {
        var members: [(String, JSONNode)] = []
        if let file { members.append(("file", .string(file))) }
        if let line { members.append(("line", .integer(Int64(line)))) }
        if let column { members.append(("column", .integer(Int64(column)))) }
        members += [
            ("severity", .string(severity.rawValue)), ("code", .string(code)), ("message", .string(message)),
        ]
        if let hint { members.append(("hint", .string(hint))) }
        return .object(members)
    }
}
