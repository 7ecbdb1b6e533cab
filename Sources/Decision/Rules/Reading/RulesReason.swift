public import JSON
public import System

/// What is wrong with a rules source. The code of a finding is `rules.` and the raw value; its message names the member.
public enum RulesReason: String, FindingReason, CaseIterable {
    case wrongType = "wrong-type"
    case missingKey = "missing-key"
    case unknownKey = "unknown-key"
    /// A value of the right type that the language does not have there.
    case badValue = "bad-value"
    /// A message, fact, segment, product, rule, arm or identifier that is not declared.
    case unknownName = "unknown-name"
    /// A name that stands twice, perhaps also in the catalogue.
    case duplicate
    /// A message, a fact, an operation or an outcome of another kind than needed.
    case wrongKind = "wrong-kind"
    /// More than one outcome, operation or form of a condition in one place.
    case ambiguous
    /// Segments or locales that refer to each other in a circle.
    case cycle
    /// More entries or conditions than allowed, or conditions nested deeper.
    case tooMany = "too-many"
    /// A source that includes files, where one is needed that stands alone.
    case includesFiles = "includes-files"
    /// A source with neither a rule nor a default.
    case empty
    /// A catalogue of another app than the rules.
    case otherApp = "other-app"
    /// There are more findings than the list shows.
    case moreFindings = "more-findings"
}

extension Findings {
    public func add(
        _ reason: RulesReason, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: reason, message, at: path, isKey: isKey, hint: hint())
    }
}
