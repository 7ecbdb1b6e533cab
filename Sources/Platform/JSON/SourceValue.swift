public import Vocabulary

/// A value of a JSON text that a person wrote, together with its path. It is for texts in which nothing may be ignored. A
/// value of the wrong form is reported as a finding with line and column, and read as nil, so that one run finds all
/// mistakes.
///
///     let findings = Findings(source: text, subject: "rules", limit: 100)
///     let root = SourceValue(document.root, path: [], findings)
///     root.checkKeys(["name"])
///     let name = root.required("name")?.string
public struct SourceValue {
    /// The parsed value.
    public let value: JSONValue
    /// The path from the root to the value.
    public let path: JSONPath
    /// The collection that receives the findings about the value.
    public let findings: Findings

    public init(_ value: JSONValue, path: JSONPath, _ findings: Findings) {
        self.value = value
        self.path = path
        self.findings = findings
    }

    /// The reasons of findings about the form of a value. Every JSON language of this project has them, each under its own
    /// subject.
    public enum Reason: String, FindingReason, CaseIterable {
        /// The value has another JSON type than expected.
        case wrongType = "wrong-type"
        /// A required key is missing.
        case missingKey = "missing-key"
        /// The language does not have this key.
        case unknownKey = "unknown-key"
    }

    /// Reports that this value has another type than `expected`, such as `a string`.
    public func reportWrongType(_ expected: String) {
        findings.add(reason: Reason.wrongType, "expected \(expected), found \(value.kind.words)", at: path)
    }

    /// The string; nil for any other value, which is reported.
    public var string: String? {
        if value.string == nil { reportWrongType("a string") }
        return value.string
    }

    /// The boolean; nil for any other value, which is reported.
    public var boolean: Bool? {
        if value.boolean == nil { reportWrongType("true or false") }
        return value.boolean
    }

    /// The whole number of 64 bits; nil for any other value, which is reported.
    public var integer: Int64? {
        if value.int64 == nil { reportWrongType("a whole number") }
        return value.int64
    }

    /// True when this value is an object. Any other value is reported.
    public var isObject: Bool {
        if value.kind != .object { reportWrongType("an object") }
        return value.kind == .object
    }

    /// The elements of the array; nil for any other value, which is reported.
    public var elements: [SourceValue]? {
        guard value.kind == .array else {
            reportWrongType("an array")
            return nil
        }
        return value.elements.enumerated().map { index, element in
            SourceValue(element, path: path + [.index(index)], findings)
        }
    }

    /// The members of the object, whatever their names. Empty for any other value, which is not reported.
    public var members: [(name: String, value: SourceValue)] {
        value.members.map {
            ($0.name, SourceValue($0.value, path: path + [.member($0.name)], findings))
        }
    }

    /// Returns the member `name` of the object; nil when it is absent, which is not reported.
    public func member(_ name: String) -> SourceValue? {
        value.member(named: name).map { SourceValue($0, path: path + [.member(name)], findings) }
    }

    /// Returns the member `name` of the object; nil when it is absent, which is reported.
    public func required(_ name: String) -> SourceValue? {
        guard let found = member(name) else {
            findings.add(reason: Reason.missingKey, "\"\(name)\" is missing", at: path)
            return nil
        }
        return found
    }

    /// Reports every key of this object that the language does not have.
    ///
    /// - Parameters:
    ///   - names: the keys that the object may have.
    ///   - others: further keys that are not reported here, because the caller reports them in another way.
    ///   - meaning: returns the key that is meant by an unknown key, for the hint; nil when it knows no such key.
    public func checkKeys(
        _ names: [String],
        knowing others: [String] = [],
        meaning: (String) -> String? = { _ in nil }
    ) {
        for (name, _) in value.members where !names.contains(name) && !others.contains(name) {
            let meant = meaning(name).flatMap { names.contains($0) ? "did you mean \"\($0)\"?" : nil }
            findings.add(
                reason: Reason.unknownKey, "unknown key \"\(name)\"", at: path + [.member(name)], isKey: true,
                hint: meant ?? Hint.near(name, among: names))
        }
    }
}

extension JSONKind {
    /// The kind in words, for messages.
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
