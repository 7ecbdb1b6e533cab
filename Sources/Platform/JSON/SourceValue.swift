public import Vocabulary

/// A value of a JSON text that somebody wrote, with the way to it: for texts in which nothing may be ignored. What is not as
/// it should be is reported, with its line and column, and read as nil, so that one run finds everything.
///
///     let findings = Findings(source: text, subject: "rules", limit: 100)
///     let root = SourceValue(document.root, path: [], findings)
///     root.checkKeys(["name"])
///     let name = root.required("name")?.string
public struct SourceValue {
    /// The value.
    public let value: JSONValue
    /// The way to it from the root.
    public let path: JSONPath
    /// Where everything goes that is wrong with it.
    public let findings: Findings

    /// Takes a value with the way to it.
    public init(_ value: JSONValue, path: JSONPath, _ findings: Findings) {
        self.value = value
        self.path = path
        self.findings = findings
    }

    /// What is wrong with the form of any value. Each language of ours has these reasons, under its own subject.
    public enum Reason: String, FindingReason, CaseIterable {
        /// A value of another JSON type.
        case wrongType = "wrong-type"
        /// A key that must be there is not.
        case missingKey = "missing-key"
        /// A key that the language does not have.
        case unknownKey = "unknown-key"
    }

    /// Reports this value as one of another type than is expected.
    public func reportType(_ expected: String) {
        findings.add(reason: Reason.wrongType, "expected \(expected), found \(value.kind.words)", at: path)
    }

    /// A string.
    public var string: String? {
        if value.string == nil { reportType("a string") }
        return value.string
    }

    /// True or false.
    public var boolean: Bool? {
        if value.boolean == nil { reportType("true or false") }
        return value.boolean
    }

    /// A whole number of 64 bits.
    public var integer: Int64? {
        if value.int64 == nil { reportType("a whole number") }
        return value.int64
    }

    /// Whether this is an object.
    public var isObject: Bool {
        if value.kind != .object { reportType("an object") }
        return value.kind == .object
    }

    /// The elements of an array.
    public var elements: [SourceValue]? {
        guard value.kind == .array else {
            reportType("an array")
            return nil
        }
        return value.elements.enumerated().map { index, element in
            SourceValue(element, path: path + [.index(index)], findings)
        }
    }

    /// The members of an object, whatever their names; none of another value, of which nothing is said.
    public var members: [(name: String, value: SourceValue)] {
        value.members.map {
            ($0.name, SourceValue($0.value, path: path + [.member($0.name)], findings))
        }
    }

    /// A member of an object; nil when it is absent, of which nothing is said.
    public func member(_ name: String) -> SourceValue? {
        value.member(named: name).map { SourceValue($0, path: path + [.member(name)], findings) }
    }

    /// A member that must be there.
    public func required(_ name: String) -> SourceValue? {
        guard let found = member(name) else {
            findings.add(reason: Reason.missingKey, "\"\(name)\" is missing", at: path)
            return nil
        }
        return found
    }

    /// Reports every key of this object that it does not have in this language.
    ///
    /// - Parameters:
    ///   - names: the keys that may be there.
    ///   - others: those of which something else is said.
    ///   - meaning: what is meant by another word; nil when it is none that is known.
    public func checkKeys(
        _ names: [String],
        knowing others: [String] = [],
        meaning: (String) -> String? = { _ in nil }
    ) {
        for (name, _) in value.members where !names.contains(name) && !others.contains(name) {
            let meant = meaning(name).flatMap { names.contains($0) ? "did you mean \"\($0)\"?" : nil }
            findings.add(
                reason: Reason.unknownKey,
                "unknown key \"\(name)\"",
                at: path + [.member(name)],
                isKey: true,
                hint: meant ?? Hint.near(name, among: names)
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
