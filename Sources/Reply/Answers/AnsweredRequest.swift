/// The kind of request that an answer is for. The status of a refusal may depend on it.
public enum AnsweredRequest: Sendable, Hashable, CaseIterable {
    /// Apple's Get Retention Message.
    case retentionMessage
    /// An App Store Server Notification.
    case notification
}
