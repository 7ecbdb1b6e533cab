/// Something that is to be stored, with where and when it came from.
public struct StoreItem: Sendable {
    /// The kinds of things that are stored. A content is handed on several times, so it is kept in one place and not copied.
    public indirect enum Content: Sendable {
        /// A notification with its nested parts.
        case notification(StoredNotification)
        /// A transaction that did not come in a notification.
        case transaction(StoredPart<TransactionColumns>, app: String, environment: String)
        /// A renewal info that did not come in a notification. Its payload names no app, so the caller knows it.
        case renewal(StoredPart<RenewalColumns>, app: String, environment: String)
        /// An app transaction that did not come in a notification.
        case appTransaction(StoredPart<AppTransactionColumns>, app: String, environment: String)
    }

    /// The thing itself.
    public let content: Content
    /// How the program got it.
    public let source: StoreSource
    /// The time at which the program got it, milliseconds since 1970.
    public let receivedAt: Int64

    /// Describes something to store.
    public init(_ content: Content, source: StoreSource, receivedAt: Int64) {
        self.content = content
        self.source = source
        self.receivedAt = receivedAt
    }
}

/// What became of an item.
public enum StoreOutcome: Sendable, Hashable {
    /// The item is in the store, and durable.
    case stored
    /// The same item was in the store already: for a notification one of the same app, environment and UUID; for the other
    /// kinds the same JWS.
    case alreadyThere
    /// The item belongs to a subscriber who was erased. It was dropped.
    case tombstoned
    /// The item is not in the store, or nobody knows whether it is.
    case notStored(NotificationStoreError)

    /// Returns true when the item needs no further attempt.
    public var isSettled: Bool {
        if case .notStored = self { false } else { true }
    }
}
