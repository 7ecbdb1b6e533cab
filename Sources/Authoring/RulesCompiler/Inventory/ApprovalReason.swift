public import Vocabulary

/// Why rules serve something that Apple does not show. The code of a finding is `publish.` and the raw value.
public enum ApprovalReason: String, FindingReason, CaseIterable {
    /// Apple has not reviewed a message that the rules serve.
    case notApproved = "not-approved"
    /// Apple has rejected a message that the rules serve.
    case rejected = "rejected"
    /// Apple's list does not have a message that the rules serve.
    case notUploaded = "not-uploaded"
    /// Apple has not approved an image of a message that the rules serve.
    case imageNotApproved = "image-not-approved"
    /// A message that the rules serve has no text in a locale of the catalogue, and no fallback leads to one.
    case missingLocale = "missing-locale"
    /// There are more findings than the list shows.
    case moreFindings = "more-findings"
}
