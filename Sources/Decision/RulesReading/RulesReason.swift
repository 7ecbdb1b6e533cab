package import JSON
public import Vocabulary

/// What is wrong with a rules source or an inventory. The code of a finding is `rules.` or `inventory.` and the raw value.
public enum RulesReason: String, FindingReason, CaseIterable {
    /// More conditions than one decision may look at.
    case tooMuchWork = "too-much-work"
    /// A key that the language does not have.
    case unknownKey = "unknown-key"
    /// A required key is missing.
    case missingKey = "missing-key"
    /// A value of another JSON type.
    case wrongType = "wrong-type"
    /// A `format` that this version does not know.
    case unknownFormat = "unknown-format"
    /// A number outside the allowed range.
    case badNumber = "bad-number"
    /// An environment that does not exist or cannot be served.
    case unknownEnvironment = "unknown-environment"
    /// A locale or language that no device sends.
    case badLocale = "bad-locale"
    /// Locale fallbacks that go round in a circle.
    case localeCycle = "locale-cycle"
    /// A message without an identifier in any locale.
    case noLocale = "no-locale"
    /// Not a UUID.
    case badUUID = "bad-uuid"
    /// Not a date in RFC 3339, UTC.
    case badDate = "bad-date"
    /// A name with characters that would break log lines, or a product or offer identifier with characters that would
    /// break the text that is signed.
    case badName = "bad-name"
    /// A salt with a control character. The character U+001F, which separates salt and unit, could make two splits the same.
    case badSalt = "bad-salt"
    /// A kind of message that does not exist.
    case unknownMessageKind = "unknown-message-kind"
    /// A rule id, or an identifier in the inventory, that occurs twice.
    case duplicateID = "duplicate-id"
    /// A test, or an arm of a rule, whose name occurs twice.
    case duplicateName = "duplicate-name"
    /// A message that is not in `messages`.
    case unknownMessage = "unknown-message"
    /// A message of another kind than the outcome needs.
    case wrongMessageKind = "wrong-message-kind"
    /// A fact that is neither built in nor declared in the source.
    case unknownFact = "unknown-fact"
    /// A fact of another kind than needed.
    case wrongFactKind = "wrong-fact-kind"
    /// A kind of fact that does not exist.
    case unknownFactKind = "unknown-fact-kind"
    /// An enumeration that is not closed, or has an empty value, a repeated value or a value with a parenthesis.
    case badEnum = "bad-enum"
    /// A declared fact with the name of a built-in fact, or a member of an Advanced Commerce request that a source must
    /// not set.
    case reservedName = "reserved-name"
    /// A word that is not one of the allowed words.
    case unknownValue = "unknown-value"
    /// A segment that is not in `segments`.
    case unknownSegment = "unknown-segment"
    /// Segments that refer to each other in a circle.
    case segmentCycle = "segment-cycle"
    /// A product that is not in `products`.
    case unknownProduct = "unknown-product"
    /// A switch into another subscription group.
    case wrongGroup = "wrong-group"
    /// More than one outcome in one place.
    case ambiguousOutcome = "ambiguous-outcome"
    /// A holdout with an outcome other than `none` or a message.
    case wrongOutcome = "wrong-outcome"
    /// Arms whose weights do not sum to 10000.
    case weightSum = "weight-sum"
    /// A test that expects a rule which does not exist.
    case unknownRule = "unknown-rule"
    /// A test that expects an arm which its rule does not have.
    case unknownArm = "unknown-arm"
    /// A test that expects a reason which does not exist.
    case unknownReason = "unknown-reason"
    /// A test whose expectations contradict each other.
    case badExpectation = "bad-expectation"
    /// A predicate with more than one operation, or a condition of more than one form, such as `all` beside `fact`.
    case ambiguousCondition = "ambiguous-condition"
    /// An operation that does not apply to the fact's kind of value.
    case wrongOperation = "wrong-operation"
    /// A list or a group without elements.
    case emptyList = "empty-list"
    /// A range that does not have two ends, or whose first end is greater than its second.
    case badRange = "bad-range"
    /// Conditions nested deeper than allowed.
    case tooDeep = "too-deep"
    /// More entries than allowed.
    case tooMany = "too-many"
    /// A string that is empty where it must not be, or longer than allowed.
    case badLength = "bad-length"
    /// A window that ends before it begins, or has neither end.
    case badWindow = "bad-window"
    /// A source that includes files, where one is needed that stands alone.
    case includesFiles = "includes-files"
    /// A source with neither a rule nor a default.
    case empty = "empty"
    /// A message identifier that the inventory does not contain, or one in `unapproved` that no message has.
    case unknownIdentifier = "unknown-identifier"
    /// A message identifier that Apple has not approved, or that has an image which Apple has not approved.
    case notApproved = "not-approved"
    /// A message with an image or bullet points that is used for a switch or an offer.
    case imageNotAllowed = "image-not-allowed"
    /// A message that stands both in the source and in the catalogue.
    case messageConflict = "message-conflict"
    /// A catalogue of another app than the rules.
    case otherApp = "other-app"
    /// There are more findings than the list shows.
    case moreFindings = "more-findings"
}

extension Findings {
    /// Adds an error about a value of a rules source, or about its key.
    package func add(
        _ reason: RulesReason, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: reason, message, at: path, isKey: isKey, hint: hint())
    }
}
