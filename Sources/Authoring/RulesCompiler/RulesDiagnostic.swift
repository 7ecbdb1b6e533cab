public import JSON

/// One thing that is wrong with a rules source.
public struct RulesDiagnostic: Sendable, Hashable {
    /// What is wrong. The raw value is the end of the code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A key that the language does not have.
        case unknownKey = "unknown-key"
        /// A part of the language that this version cannot compile.
        case notSupportedYet = "not-supported-yet"
        /// A key that must be there is not.
        case missingKey = "missing-key"
        /// A value of another JSON type.
        case wrongType = "wrong-type"
        /// A `format` that this version does not know.
        case unknownFormat = "unknown-format"
        /// A number outside what is allowed.
        case badNumber = "bad-number"
        /// An environment that does not exist or cannot be served.
        case unknownEnvironment = "unknown-environment"
        /// A locale or language that no device sends.
        case badLocale = "bad-locale"
        /// Locale fallbacks that go round in a circle.
        case localeCycle = "locale-cycle"
        /// No identifier in any locale.
        case noLocale = "no-locale"
        /// Not a UUID.
        case badUUID = "bad-uuid"
        /// Not a date in RFC 3339, UTC.
        case badDate = "bad-date"
        /// A rule id or message name with characters that would break log lines.
        case badName = "bad-name"
        /// A kind of message that does not exist.
        case unknownMessageKind = "unknown-message-kind"
        /// A rule id that stands twice.
        case duplicateID = "duplicate-id"
        /// A message that is not in `messages`.
        case unknownMessage = "unknown-message"
        /// A message that was made for something else.
        case wrongMessageKind = "wrong-message-kind"
        /// A fact that the language does not have.
        case unknownFact = "unknown-fact"
        /// A predicate with two operations, or a condition that is two things at once.
        case ambiguousCondition = "ambiguous-condition"
        /// An operation that the fact's kind of value does not have.
        case wrongOperation = "wrong-operation"
        /// A list or group without elements.
        case emptyList = "empty-list"
        /// Conditions nested deeper than allowed.
        case tooDeep = "too-deep"
        /// More entries than allowed.
        case tooMany = "too-many"
        /// A string that is empty where it must not be, or longer than allowed.
        case badLength = "bad-length"
        /// A window that ends before it begins, or has neither end.
        case badWindow = "bad-window"
        /// Neither a rule nor a default.
        case empty = "empty"
        /// There are more findings than are listed.
        case moreFindings = "more-findings"
    }

    /// The stable code: `rules.` and a ``Reason``, or `json.` where the source is no JSON.
    public let code: String
    /// What is wrong, for people.
    public let message: String
    /// What to do about it; nil where that is obvious.
    public let hint: String?
    /// Where it is; nil when the source as a whole is meant.
    public let position: JSONPosition?
    /// The way to it: `rules[3].when.all[0].eq`; empty for the root.
    public let path: String

    /// `12:5: rules.unknown-key: unknown key "enbaled" (did you mean "enabled"?)`
    public var text: String {
        let place = position.map { "\($0): " } ?? ""
        let advice = hint.map { " (\($0))" } ?? ""
        return "\(place)\(code): \(message)\(advice)"
    }
}
