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
        let list = listsFew && (1...6).contains(names.count) ? "known here: \(names.joined(separator: ", "))" : nil
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
