internal import JSON
internal import Vocabulary

/// A value of the source with the way to it. What is not as it should be is reported and read as nil.
struct SourceValue {
    let value: JSONValue
    let path: JSONPath
    let findings: Findings

    init(_ value: JSONValue, path: JSONPath, _ findings: Findings) {
        self.value = value
        self.path = path
        self.findings = findings
    }

    /// Reports this value. The hint is worked out only for a finding that is listed.
    func report(
        _ reason: RulesDiagnostic.Reason,
        _ message: String,
        hint: @autoclosure () -> String? = nil
    ) {
        findings.add(reason, message, at: path, hint: hint())
    }

    /// Reports the key under which this value stands.
    func reportKey(
        _ reason: RulesDiagnostic.Reason,
        _ message: String,
        hint: @autoclosure () -> String? = nil
    ) {
        findings.add(reason, message, at: path, isKey: true, hint: hint())
    }

    private func wrongType(_ expected: String) {
        report(.wrongType, "expected \(expected), found \(value.kind.words)")
    }

    // MARK: Simple values

    var string: String? {
        guard let text = value.string else {
            wrongType("a string")
            return nil
        }
        return text
    }

    /// A string that is not empty and not too long.
    func string(limitBytes: Int) -> String? {
        guard let text = string else { return nil }
        guard !text.isEmpty else {
            report(.badLength, "an empty string")
            return nil
        }
        guard text.utf8.count <= limitBytes else {
            report(.badLength, "\(text.utf8.count) bytes, more than the limit of \(limitBytes)")
            return nil
        }
        return text
    }

    var boolean: Bool? {
        guard let flag = value.boolean else {
            wrongType("true or false")
            return nil
        }
        return flag
    }

    var integer: Int64? {
        guard let number = value.int64 else {
            wrongType("a whole number")
            return nil
        }
        return number
    }

    var uuid: UUID? {
        guard let text = string else { return nil }
        guard let identifier = UUID(text) else {
            report(.badUUID, "not a UUID", hint: "8-4-4-4-12 hexadecimal digits")
            return nil
        }
        return identifier
    }

    /// Milliseconds since 1970.
    var date: Int64? {
        guard let text = string else { return nil }
        guard let time = CivilTime(text), text.utf8.last == UInt8(ascii: "Z") else {
            report(.badDate, "not a date", hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z")
            return nil
        }
        return time.milliseconds
    }

    /// The id of a rule or the name of a message: it stands in log lines and in the names of counters.
    func checkName(_ name: String, isKey: Bool) -> Bool {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAllowed, !name.isEmpty, name.utf8.count <= RulesCompilerLimits.nameByteCount else {
            findings.add(
                .badName,
                "not a name",
                at: path,
                isKey: isKey,
                hint: "1 to \(RulesCompilerLimits.nameByteCount) of A-Z, a-z, 0-9, _, - and ."
            )
            return false
        }
        return true
    }

    // MARK: Arrays and objects

    /// The elements of an array; nil when it is none or has too many.
    func elements(limit: Int) -> [SourceValue]? {
        guard value.kind == .array else {
            wrongType("an array")
            return nil
        }
        guard value.count <= limit else {
            report(.tooMany, "\(value.count) elements, more than the limit of \(limit)")
            return nil
        }
        return value.elements.enumerated().map { index, element in
            SourceValue(element, path: path + [.index(index)], findings)
        }
    }

    /// The members of an object with names of the author's own; nil when it is none or has too many.
    func members(limit: Int) -> [(name: String, value: SourceValue)]? {
        guard isObject, isWithin(limit) else { return nil }
        return members
    }

    /// The members of an object even when they are too many, which is reported: names that others refer to, which are
    /// not wrong as well.
    func namedMembers(limit: Int) -> [(name: String, value: SourceValue)] {
        guard isObject else { return [] }
        _ = isWithin(limit)
        return members
    }

    private func isWithin(_ limit: Int) -> Bool {
        guard value.count > limit else { return true }
        report(.tooMany, "\(value.count) members, more than the limit of \(limit)")
        return false
    }

    private var members: [(name: String, value: SourceValue)] {
        value.members.map {
            ($0.name, SourceValue($0.value, path: path + [.member($0.name)], findings))
        }
    }

    /// Whether this is an object; reported when it is not.
    var isObject: Bool {
        guard value.kind == .object else {
            wrongType("an object")
            return false
        }
        return true
    }

    func member(_ name: String) -> SourceValue? {
        value.member(named: name).map { SourceValue($0, path: path + [.member(name)], findings) }
    }

    func required(_ name: String) -> SourceValue? {
        guard let found = member(name) else {
            report(.missingKey, "\"\(name)\" is missing")
            return nil
        }
        return found
    }

    /// Reports every key of this object that it does not have in this language.
    ///
    /// - Parameters:
    ///   - keys: those that may be there.
    ///   - others: those of which something else is said.
    ///   - meaning: what is meant by another word; nil when it is none that is known.
    func checkKeys(_ keys: Keys, knowing others: [String] = [], meaning: (String) -> String? = { _ in nil }) {
        for (name, _) in value.members where !keys.names.contains(name) && !others.contains(name) {
            let path = path + [.member(name)]
            let meant = meaning(name).flatMap {
                keys.names.contains($0) ? "did you mean \"\($0)\"?" : nil
            }
            findings.add(
                .unknownKey,
                "unknown key \"\(name)\"",
                at: path,
                isKey: true,
                hint: meant ?? Hint.near(name, among: keys.names)
            )
        }
    }
}

extension JSONKind {
    /// For messages.
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
