internal import NotificationStore
internal import Synchronization
internal import System

/// A store that takes batches in a thread of its own, while the caller makes the next batch.
final class StoreLane {
    private let store: OwnedStore
    /// Stores the last batch; true when all of it was stored.
    private var thread: JoinableThread<Bool>?

    init(_ address: String) throws {
        store = try OwnedStore(address)
    }

    /// Begins to store a batch, once the batch before is stored.
    func begin(_ items: [StoreItem]) throws {
        try finish()
        thread = try JoinableThread { [store] in store.take(items) }
    }

    /// Waits until the last batch is stored.
    func finish() throws {
        guard let last = thread else { return }
        thread = nil
        guard last.join() == true else { throw Failure("not stored") }
    }
}

/// A store that one thread after the other uses.
private final class OwnedStore: Sendable {
    private let store: Mutex<NotificationStore>

    init(_ address: String) throws {
        var options = StoreOptions(access: .create)
        // Digests are random, so that each row of a large store changes other pages of their indexes.
        options.hasLargeCache = true
        store = Mutex(try NotificationStore(StoreAddress(address), options))
    }

    func take(_ items: [StoreItem]) -> Bool {
        store.withLock { store in store.store(items).allSatisfy { $0 == .stored } }
    }
}
