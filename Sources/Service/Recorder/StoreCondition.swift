public import NotificationStore

/// The condition of the store as the recorder knows it.
public enum StoreCondition: Sendable, Hashable {
    /// The first opening has not ended yet.
    case opening
    /// The file of the store, of so many bytes, is checked before it is opened: it was changed after its log.
    case checking(byteCount: Int)
    /// The store is open. Its write-ahead log of so many bytes is made sure of before the store takes notifications.
    case preparing(logByteCount: Int64)
    /// The store is open, and the last commit or probe succeeded.
    case open
    /// The store cannot be opened, or the last commit or probe failed.
    case failing(NotificationStoreError)
}

/// What keeps notifications. Tests have other keepers than a store.
public protocol NotificationKeeper {
    /// Does what would hold up the first commit, which may take long. The thread that commits calls it once, before all others.
    ///
    /// - Parameter willTakeLong: called beforehand when this takes long, with the bytes of the write-ahead log.
    /// - Throws: the reason why nothing can be stored.
    func prepare(willTakeLong: (_ logByteCount: Int64) -> Void) throws(NotificationStoreError)

    /// Stores items. What it reports as stored is durable.
    func store(_ items: [StoreItem]) -> [StoreOutcome]

    /// Returns when the first notification came that a receiver does not have yet, milliseconds since 1970; nil when the
    /// receiver has everything.
    func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64?

    /// Returns how many notifications were set aside because a receiver refuses them.
    func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64

    /// Finds out whether notifications can be stored, although none comes.
    ///
    /// - Parameter writes: true to write something, as after a failure that only a write can show to be over.
    /// - Throws: the reason why nothing can be stored.
    func probe(writes: Bool) throws(NotificationStoreError)
}

extension NotificationStore: NotificationKeeper {}

/// Opens the store. The thread that commits calls it, again after each failure.
public typealias KeeperOpening = @Sendable () throws(NotificationStoreError) -> any NotificationKeeper
