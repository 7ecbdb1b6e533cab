/// Subscriptions that follow each other in the order of their identifiers, as the database orders texts.
public struct SubscriberRange: Sendable {
    /// The identifier behind which the range begins; nil when it begins with the first one.
    public var after: String?
    /// The last identifier; nil when the range has no end.
    public var last: String?

    /// Describes a range; without arguments that of all subscriptions.
    public init(after: String? = nil, last: String? = nil) {
        self.after = after
        self.last = last
    }
}
