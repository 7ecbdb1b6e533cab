public import NotificationStore

/// The condition of the store as the recorder knows it.
public enum StoreCondition: Sendable, Hashable {
    /// The first opening has not ended yet.
    case opening
    /// The store is open, and the last commit succeeded.
    case open
    /// The store cannot be opened, or the last commit failed.
    case failing(NotificationStoreError)
}

/// What keeps notifications. Tests have other keepers than a store.
public protocol NotificationKeeper {
    /// Stores items. What it reports as stored is durable.
    func store(_ items: [StoreItem]) -> [StoreOutcome]

    /// Returns when the first notification came that a receiver does not have yet, milliseconds since 1970; nil when the
    /// receiver has everything.
    func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64?
}

extension NotificationStore: NotificationKeeper {}

/// Opens the store. The thread that commits calls it, again after each failure.
public typealias KeeperOpening = @Sendable () throws(NotificationStoreError) -> any NotificationKeeper
