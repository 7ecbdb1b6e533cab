/// What the service sends when the rules give no message and Apple is to fall back to the message of App Store Connect.
public enum NoAnswer: String, Sendable, Hashable, CaseIterable {
    /// 503 with the problem `no-answer`. Apple documents that a 503 leads to its fallback.
    case status
    /// 200 with `{}`. Apple does not document that this leads to its fallback.
    case empty
}
