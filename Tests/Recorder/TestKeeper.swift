import NotificationStore
@testable import Recorder
import Support
import Synchronization
import System

/// A keeper that a test holds back, and that keeps in memory what was stored.
final class TestKeeper: Sendable {
    struct State {
        /// True when commits wait until the test lets them go on.
        var isHeld = false
        var failure: NotificationStoreError?
        var openFailure: NotificationStoreError?
        /// The bytes of the log that the store makes sure of, for as long as the test wants.
        var preparedLogByteCount: Int64?
        /// The answers of ``NotificationKeeper/oldestWaiting(for:)``, by the names of the receivers.
        var oldest: [String: Int64] = [:]
        var oldestFailure: NotificationStoreError?
        /// The answers of ``NotificationKeeper/setAsideCount(for:)``, by the names of the receivers.
        var setAside: [String: Int64] = [:]
        var openCount = 0
        /// What the committing thread asked, the latest last: true for a probe that writes.
        var probes: [Bool] = []
        var batches: [[String]] = []
        var startedCount = 0
    }

    private let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var batches: [[String]] { state.withLock { $0.batches } }
    var startedCount: Int { state.withLock { $0.startedCount } }
    var openCount: Int { state.withLock { $0.openCount } }
    var probes: [Bool] { state.withLock { $0.probes } }

    /// Opens a keeper, as the committing thread does.
    var opening: KeeperOpening {
        { () throws(NotificationStoreError) in
            let failure = self.state.withLock { state in
                state.openCount += 1
                return state.openFailure
            }
            if let failure { throw failure }
            return Keeper(owner: self)
        }
    }

    private struct Keeper: NotificationKeeper {
        let owner: TestKeeper

        func prepare(willTakeLong: (Int64) -> Void) throws(NotificationStoreError) {
            while let count = owner.state.withLock({ $0.preparedLogByteCount }) {
                willTakeLong(count)
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: 1)
            }
        }

        func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64? {
            let (failure, oldest) = owner.state.withLock { ($0.oldestFailure, $0.oldest[receiver.name]) }
            if let failure { throw failure }
            return oldest
        }

        func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64 {
            owner.state.withLock { $0.setAside[receiver.name] ?? 0 }
        }

        func probe(writes: Bool) throws(NotificationStoreError) {
            let failure = owner.state.withLock { state in
                state.probes.append(writes)
                return state.failure
            }
            if let failure, !failure.isAboutItem { throw failure }
        }

        func store(_ items: [StoreItem]) -> [StoreOutcome] {
            owner.state.withLock { $0.startedCount += 1 }
            while owner.state.withLock({ $0.isHeld }) {
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: 1)
            }
            return owner.state.withLock { state in
                if let failure = state.failure { return items.map { _ in .notStored(failure) } }
                let known = Set(state.batches.joined())
                state.batches.append(items.map(\.uuid))
                return items.map { known.contains($0.uuid) ? .alreadyThere : .stored }
            }
        }
    }
}

extension StoreItem {
    /// `notificationUUID` of a notification.
    var uuid: String {
        if case .notification(let notification) = content { notification.identity.uuid } else { "" }
    }
}
