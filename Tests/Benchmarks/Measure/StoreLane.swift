internal import NotificationStore
internal import Synchronization
internal import System

/// A store that takes batches in a thread of its own, while the caller makes the next batch.
final class StoreLane {
    private let store: OwnedStore
    private let isStored: WakeUp
    private var isStoring = false

    init(_ address: String) throws {
        store = try OwnedStore(address)
        isStored = try WakeUp()
    }

    /// Begins to store a batch, once the batch before is stored.
    func begin(_ items: [StoreItem]) throws {
        try finish()
        isStoring = true
        try ServiceThread.start { [store, isStored] in
            store.take(items)
            isStored.announce()
        }
    }

    /// Waits until the last batch is stored.
    func finish() throws {
        guard isStoring else { return }
        isStoring = false
        _ = try Readiness.wait(for: [isStored.descriptor.number], timeoutMilliseconds: -1)
        isStored.clear()
        guard store.hasStoredAll else { throw Failure("not stored") }
    }
}

/// A store that one thread after the other uses.
private final class OwnedStore: Sendable {
    private let store: Mutex<NotificationStore>
    private let outcome = Mutex(true)
    /// True when all of the last batch was stored.
    var hasStoredAll: Bool { outcome.withLock { $0 } }

    init(_ address: String) throws {
        var options = StoreOptions(access: .create)
        // Digests are random, so that each row of a large store changes other pages of their indexes.
        options.hasLargeCache = true
        store = Mutex(try NotificationStore(StoreAddress(address), options))
    }

    func take(_ items: [StoreItem]) {
        let isWhole = store.withLock { store in store.store(items).allSatisfy { $0 == .stored } }
        outcome.withLock { $0 = isWhole }
    }
}
