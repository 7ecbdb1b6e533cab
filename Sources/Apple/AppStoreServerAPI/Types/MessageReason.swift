public import Vocabulary

/// The reasons why a message in a JSON file is wrong. The code of a finding is the reader's subject, such as
/// `apple-message.`, and the raw value.
public enum MessageReason: String, FindingReason, CaseIterable {
    /// A member of another JSON type than Apple takes.
    case wrongType = "wrong-type"
    /// A member that Apple requires is missing.
    case missingKey = "missing-key"
    /// A member that Apple does not have.
    case unknownKey = "unknown-key"
    /// An image identifier that is not a UUID.
    case badIdentifier = "bad-identifier"
    /// A header position that Apple does not have.
    case badHeaderPosition = "bad-header-position"
}
