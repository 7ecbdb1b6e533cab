internal import JSON
internal import Vocabulary

/// One finding for a person or an editor, in the form compilers use: `file:line:column: error: code: message`.
struct Diagnostic: Hashable {
    /// How bad it is.
    enum Severity: String {
        case error
        case warning
        case note
    }

    var severity: Severity
    /// A stable code, see ``CodedError``.
    var code: String
    /// What is wrong, for people.
    var message: String
    /// What may have been meant, or what to do; nil when there is nothing to say.
    var hint: String?
    /// The file it is in; nil when it is in none.
    var file: String?
    /// The line, from 1; nil when unknown.
    var line: Int?
    /// The column, from 1; nil when unknown.
    var column: Int?

    /// A finding.
    init(
        severity: Severity = .error,
        code: String,
        message: String,
        hint: String? = nil,
        file: String? = nil,
        line: Int? = nil,
        column: Int? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column
    }

    /// The finding as a JSON object; what is unknown is left out.
    var json: JSONNode {
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

    /// The finding on one line, without a line feed; its hint stands behind its message.
    var text: String {
        var place = ""
        if let file {
            place = file + ":"
            if let line {
                place += "\(line):"
                if let column { place += "\(column):" }
            }
            place += " "
        }
        let advice = hint.map { " (\($0))" } ?? ""
        return "\(place)\(severity.rawValue): \(code): \(message)\(advice)"
    }
}
