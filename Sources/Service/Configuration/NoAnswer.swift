/// What is sent when the rules give no message, so that Apple falls back to App Store Connect's message.
public enum NoAnswer: String, Sendable, Hashable, CaseIterable {
    /// 503 with the problem `no-answer`, which Apple documents as leading to its fallback.
    case status
    /// 200 with `{}`, which Apple does not document.
    case empty
}
