public import System

/// A value of a JSON text that a person wrote, together with its path. It is for texts in which nothing may be ignored. A
/// value of the wrong form is reported as a finding with line and column, and read as nil, so that one run finds all
/// mistakes.
public struct SourceValue {
    public let value: JSONValue
    public let path: JSONPath
    public let findings: Findings

    public init(_ value: JSONValue, path: JSONPath, _ findings: Findings) {
        self.value = value
        self.path = path
        self.findings = findings
    }

    public enum Reason: String, FindingReason, CaseIterable {
        case wrongType = "wrong-type"
        case missingKey = "missing-key"
        case unknownKey = "unknown-key"
    }

    public func reportWrongType(_ expected: String) {
        findings.add(reason: Reason.wrongType, "expected \(expected), found \(value.kind.words)", at: path)
    }

    public var string: String? {
        if value.string == nil { reportWrongType("a string") }
        return value.string
    }

    public var boolean: Bool? {
        if value.boolean == nil { reportWrongType("true or false") }
        return value.boolean
    }

    public var integer: Int64? {
        if value.int64 == nil { reportWrongType("a whole number") }
        return value.int64
    }

    public var isObject: Bool {
        if value.kind != .object { reportWrongType("an object") }
        return value.kind == .object
    }

    public var elements: [SourceValue]? {
        guard value.kind == .array else {
            reportWrongType("an array")
            return nil
        }
        return value.elements.enumerated().map { index, element in
            SourceValue(element, path: path + [.index(index)], findings)
        }
    }

    public var members: [(name: String, value: SourceValue)] {
        value.members.map {
            ($0.name, SourceValue($0.value, path: path + [.member($0.name)], findings))
        }
    }

    public func member(_ name: String) -> SourceValue? {
        value.member(named: name).map { SourceValue($0, path: path + [.member(name)], findings) }
    }

    public func required(_ name: String) -> SourceValue? {
        guard let found = member(name) else {
            findings.add(reason: Reason.missingKey, "\"\(name)\" is missing", at: path)
            return nil
        }
        return found
    }

    public func checkKeys(
        _ names: [String],
        knowing others: [String] = [],
        meaning: (String) -> String? = { _ in nil },
        listsFew: Bool = false
    ) {
        let list =
            listsFew && (1...6).contains(names.count) ? "known here: \(names.joined(separator: ", "))" : nil
        for (name, _) in value.members where !names.contains(name) && !others.contains(name) {
            let meant = meaning(name).flatMap { names.contains($0) ? "did you mean \"\($0)\"?" : nil }
            findings.add(
                reason: Reason.unknownKey, "unknown key \"\(name)\"", at: path + [.member(name)], isKey: true,
                hint: meant ?? Hint.near(name, among: names) ?? list)
        }
    }
}

extension JSONKind {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .integer: "a whole number"
        case .real: "a number with a fraction"
        case .boolean: "true or false"
        case .null: "null"
        }
    }
}

extension SourceValue {
    public func uuid(_ reason: some FindingReason) -> UUID? {
        guard let text = string else { return nil }
        guard let identifier = UUID(text) else {
            let hint = "8-4-4-4-12 hexadecimal digits"
            findings.add(reason: reason, "not a UUID", at: path, hint: hint)
            return nil
        }
        return identifier
    }

    public func choice<Value>(
        of values: [Value], named name: (Value) -> String, _ reason: some FindingReason,
        _ message: (String) -> String
    ) -> Value? {
        guard let word = string else { return nil }
        if let value = values.first(where: { name($0) == word }) { return value }
        let hint = Hint.choice(word, among: values.map(name))
        findings.add(reason: reason, message(word), at: path, hint: hint)
        return nil
    }
}

extension [UInt8] {
    /// The text without the byte order mark that some editors write before UTF-8. Editors do not count it as a column,
    /// so lines and columns are those of the remaining text.
    public var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}

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
