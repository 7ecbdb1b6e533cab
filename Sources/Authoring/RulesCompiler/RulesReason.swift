public import Vocabulary

/// What is wrong with a rules source. The raw value is the end of the code, behind `rules.` or `inventory.`.
public enum RulesReason: String, FindingReason, CaseIterable {
    /// A decision by these rules could take longer than a server has.
    case tooMuchWork = "too-much-work"
    /// A key that the language does not have.
    case unknownKey = "unknown-key"
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
    /// No identifier in any locale, or in one that is named.
    case noLocale = "no-locale"
    /// Not a UUID.
    case badUUID = "bad-uuid"
    /// Not a date in RFC 3339, UTC.
    case badDate = "bad-date"
    /// A name with characters that would break log lines, or an identifier with some that would break what is signed.
    case badName = "bad-name"
    /// A salt with a control character, which could make two splits one.
    case badSalt = "bad-salt"
    /// A kind of message that does not exist.
    case unknownMessageKind = "unknown-message-kind"
    /// A rule id that stands twice, or an identifier of the inventory.
    case duplicateID = "duplicate-id"
    /// An arm of a rule, or a test, whose name stands twice.
    case duplicateName = "duplicate-name"
    /// A message that is not in `messages`.
    case unknownMessage = "unknown-message"
    /// A message that was made for something else.
    case wrongMessageKind = "wrong-message-kind"
    /// A fact that neither the server knows nor the source declares.
    case unknownFact = "unknown-fact"
    /// A fact of another kind than is needed.
    case wrongFactKind = "wrong-fact-kind"
    /// A kind of fact that does not exist.
    case unknownFactKind = "unknown-fact-kind"
    /// An enumeration whose values are not separated, empty or repeated.
    case badEnum = "bad-enum"
    /// A fact, or a member of a request, under the name of one that the server knows by itself.
    case reservedName = "reserved-name"
    /// A word that is none of those that are possible.
    case unknownValue = "unknown-value"
    /// A segment that is not in `segments`.
    case unknownSegment = "unknown-segment"
    /// Segments that refer to each other in a circle.
    case segmentCycle = "segment-cycle"
    /// A product that is not in `products`.
    case unknownProduct = "unknown-product"
    /// A switch into another subscription group.
    case wrongGroup = "wrong-group"
    /// Two things served at once.
    case ambiguousOutcome = "ambiguous-outcome"
    /// A holdout that serves what only rules may.
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
    /// A predicate with two operations, or a condition that is two things at once.
    case ambiguousCondition = "ambiguous-condition"
    /// An operation that the fact's kind of value does not have.
    case wrongOperation = "wrong-operation"
    /// A list or group without elements.
    case emptyList = "empty-list"
    /// A range without two ends, or with the greater one first.
    case badRange = "bad-range"
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
    /// An identifier that the inventory does not have.
    case unknownIdentifier = "unknown-identifier"
    /// An identifier that Apple has not approved, or whose image it has not.
    case notApproved = "not-approved"
    /// A switch or an offer beside a message with an image or bullet points.
    case imageNotAllowed = "image-not-allowed"
    /// There are more findings than are listed.
    case moreFindings = "more-findings"
}
