/// One mistake, or one thing worth knowing, in a text that a person wrote. It is printed as a line for people and editors in
/// the form that compilers use, `file:line:column: severity: code: message (hint)`.
public struct Finding: Error, Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        case error
        case warning
        case note
    }

    public var code: String
    public var severity: Severity
    public var file: String?
    public var line: Int?
    /// The column in that line, from 1, in Unicode code points; nil when the finding is about the whole line.
    public var column: Int?
    /// The path to the value in a JSON text: `rules[3].when.all[0].eq`. Empty for the root and for texts that are not JSON.
    public var path: String
    public var message: String
    public var hint: String?

    public init(
        code: String, severity: Severity = .error, _ message: String, hint: String? = nil,
        file: String? = nil, line: Int? = nil, column: Int? = nil, path: String = ""
    ) {
        self.code = code
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
        self.hint = hint
    }

    public func inFile(_ file: String?) -> Finding {
        var finding = self
        finding.file = file
        return finding
    }

    public var text: String {
        let numbers = [line, line.flatMap { _ in column }].compactMap { $0.map(String.init) }
        let place = ([file].compactMap { $0 } + numbers).joined(separator: ":")
        let advice = hint.map { " (\($0))" } ?? ""
        return (place.isEmpty ? "" : "\(place): ") + "\(severity.rawValue): \(code): \(message)\(advice)"
    }
}

/// The reasons of the findings in one kind of text. A raw value is the last part of a code, for example `unknown-key`. The
/// first part, for example `rules.`, is set once for each text.
public protocol FindingReason: RawRepresentable<String>, Sendable, Hashable {
    var severity: Finding.Severity { get }
}

extension FindingReason {
    public var severity: Finding.Severity { .error }
}
