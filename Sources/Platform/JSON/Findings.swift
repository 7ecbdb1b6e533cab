public import System

/// Collects the findings about a JSON text while the text is read. It lists a limited number of findings, in the order of
/// the text, and counts the others.
public final class Findings {
    private let subject: String
    private let limit: Int
    private let reportsOverflow: Bool
    private let positions: JSONPositions
    private var ignored: Set<String>
    private var found: [(finding: Finding, byteOffset: Int)] = []
    private var overflow = 0
    private var overflowStart: JSONPosition?

    public init(
        source: [UInt8], subject: String, limit: Int, reportsOverflow: Bool = true,
        ignoring ignored: Set<String> = []
    ) {
        self.subject = subject
        self.limit = limit
        self.reportsOverflow = reportsOverflow
        self.ignored = ignored
        positions = JSONPositions(source: source)
    }

    public func ignore(_ reason: some FindingReason) {
        ignored.insert(reason.rawValue)
    }

    /// Adds a finding about a value, or about the key of a member. The hint, which compares names, is computed only for a
    /// finding that is listed.
    public func add(
        reason: some FindingReason, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        guard !ignored.contains(reason.rawValue) else { return }
        if found.count >= limit {
            overflow += 1
            // A graver finding takes the place of another one, so that notes hide no warning and warnings hide no error.
            guard let other = lessGrave(than: reason.severity) else {
                if overflow == 1 { overflowStart = position(path, isKey) }
                return
            }
            let removed = found.remove(at: other).finding
            if overflow == 1, let line = removed.line, let column = removed.column {
                overflowStart = JSONPosition(line: line, column: column, byteOffset: 0)
            }
        }
        let position = position(path, isKey)
        let finding = Finding(
            code: "\(subject).\(reason.rawValue)", severity: reason.severity, message, hint: hint(),
            line: position?.line, column: position?.column, path: path.text)
        found.append((finding, position?.byteOffset ?? 0))
    }

    private func lessGrave(than severity: Finding.Severity) -> Int? {
        guard severity != .note else { return nil }
        let note = found.lastIndex { $0.finding.severity == .note }
        guard severity == .error else { return note }
        return note ?? found.lastIndex { $0.finding.severity == .warning }
    }

    private func position(_ path: JSONPath, _ isKey: Bool) -> JSONPosition? {
        isKey ? positions.key(at: path) : positions.value(at: path)
    }

    public var isEmpty: Bool { found.isEmpty }

    /// The listed findings in the order of the source. When some are not listed, a last finding says how many, and where the
    /// first of them is.
    public var sorted: [Finding] {
        let sorted = found.enumerated().sorted { left, right in
            (left.element.byteOffset, left.offset) < (right.element.byteOffset, right.offset)
        }
        .map(\.element.finding)
        guard overflow > 0, reportsOverflow, !ignored.contains("more-findings") else { return sorted }
        let rest = Finding(
            code: "\(subject).more-findings",
            severity: found.contains { $0.finding.severity == .error } ? .error : .note,
            "and \(overflow) more",
            line: overflowStart?.line,
            column: overflowStart?.column
        )
        return sorted + [rest]
    }
}

extension Finding {
    public init(_ error: JSONError) {
        self.init(code: error.code, error.reason, line: error.position?.line, column: error.position?.column)
    }

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
