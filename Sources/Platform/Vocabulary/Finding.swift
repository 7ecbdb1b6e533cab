/// One thing that is wrong, or worth knowing, in what somebody wrote: a line for people and editors, in the form
/// compilers use, `file:line:column: severity: code: message (hint)`.
public struct Finding: Error, Sendable, Hashable {
    /// How bad a finding is.
    public enum Severity: String, Sendable, Hashable {
        /// It stands in the way.
        case error
        /// Probably a mistake.
        case warning
        /// Worth knowing.
        case note
    }

    /// The stable code.
    public var code: String
    /// How bad it is.
    public var severity: Severity
    /// The file it is in; nil when it is in none, or when the reader knows.
    public var file: String?
    /// The line, from 1; nil when the source as a whole is meant.
    public var line: Int?
    /// The column in that line, from 1 in Unicode code points; nil when the whole line is meant.
    public var column: Int?
    /// The way to it in a JSON text: `rules[3].when.all[0].eq`; empty for the root and for other texts.
    public var path: String
    /// What is wrong, for people.
    public var message: String
    /// What may have been meant, or what to do; nil where that is obvious.
    public var hint: String?

    /// A finding.
    public init(
        code: String,
        severity: Severity = .error,
        _ message: String,
        hint: String? = nil,
        file: String? = nil,
        line: Int? = nil,
        column: Int? = nil,
        path: String = ""
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

    /// The same finding in a file.
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

/// What is found in one kind of text. The raw value is the end of the code; what stands before it, `rules.`, is said once
/// for a text.
public protocol FindingReason: RawRepresentable<String>, Sendable, Hashable {
    /// How bad it is.
    var severity: Finding.Severity { get }
}

extension FindingReason {
    /// An error, unless a reason says otherwise.
    public var severity: Finding.Severity { .error }
}
