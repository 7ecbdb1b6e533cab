internal import Synchronization
public import System

/// One more connection to a store, over which a thread of its own reads while the caller reads something else.
///
///     let side = SideConnection(beside: store)
///     let reading = side?.begin { store throws(NotificationStoreError) in try store.coverage(app: app, environment: environment) }
///     // Work with `store` goes on here.
///     let coverage = try (reading?.join() ?? nil) ?? store.coverage(app: app, environment: environment)
public final class SideConnection: Sendable {
    private let store: Mutex<NotificationStore>

    /// Connects. Returns nil when there is no more connection: then the caller reads everything itself.
    public init?(beside store: NotificationStore) {
        guard let another = try? store.anotherConnection() else { return nil }
        self.store = Mutex(another)
    }

    /// Begins to read in a thread of its own. The value of the thread is nil when that fails: then the caller reads the same
    /// itself, and gets the error.
    ///
    /// - Returns: the thread; nil when none can start.
    public func begin<Value: Sendable>(
        _ read: @escaping @Sendable (NotificationStore) throws(NotificationStoreError) -> Value
    ) -> JoinableThread<Value?>? {
        try? JoinableThread { self.store.withLock { store in try? read(store) } }
    }
}
