/// One mistake, or one thing worth knowing, in a text that a person wrote. It is printed as a line for people and editors
/// in the form that compilers use, `file:line:column: severity: code: message (hint)`.
///
///     let finding = Finding(code: code, "unknown key \"wen\"", hint: "did you mean \"when\"?", line: 3)
///     let line = finding.inFile("rules.json").text
public struct Finding: Error, Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        /// The text cannot be used before this is corrected.
        case error
        /// The text can be used, but this is probably a mistake.
        case warning
        /// Not a mistake, but worth knowing.
        case note
    }

    /// The stable code.
    public var code: String
    public var severity: Severity
    /// The file with the text; nil when the text is not in a file, or when the reader knows the file.
    public var file: String?
    /// The line, from 1; nil when the finding is about the text as a whole.
    public var line: Int?
    /// The column in that line, from 1, in Unicode code points; nil when the finding is about the whole line.
    public var column: Int?
    /// The path to the value in a JSON text: `rules[3].when.all[0].eq`. Empty for the root and for texts that are not JSON.
    public var path: String
    /// The message for people.
    public var message: String
    /// Advice: the word that may have been meant, or what to do; nil where that is obvious.
    public var hint: String?

    /// Makes a finding. Without a place, it is about the text as a whole.
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

    /// Returns the same finding with `file` as its file.
    public func inFile(_ file: String?) -> Finding {
        var finding = self
        finding.file = file
        return finding
    }

    /// The finding on one line, without a line feed.
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
    /// The severity of findings with this reason.
    var severity: Finding.Severity { get }
}

extension FindingReason {
    /// The default: an error.
    public var severity: Finding.Severity { .error }
}
