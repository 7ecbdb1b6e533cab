internal import NotificationStore

/// Finds out whether the store takes notifications. A balancer sends none to a recorder that says that its store fails, so the
/// recorder itself must find out when that is over.
///
/// A store may take the row of a probe and fail at every notification, as when a page of an index is damaged. So after a
/// batch that failed, notifications of this batch are stored again. This is given up after a minute, because they may be the
/// only ones that the store does not take.
struct StoreTrial {
    /// How many notifications of a batch are stored again.
    private static let itemCount = 8

    /// True while the store fails, as far as this recorder knows.
    private(set) var isFailing = false
    /// Notifications of the batch that failed first. They were answered with 503.
    private var items: [StoreItem] = []
    private var lookCount = 0

    /// Notes what a batch has shown.
    mutating func note(_ batch: [StoreItem], _ condition: StoreCondition) {
        guard condition != .open else {
            self = StoreTrial()
            return
        }
        isFailing = true
        if items.isEmpty { items = Array(batch.prefix(Self.itemCount)) }
    }

    /// Returns the condition of the store. A notification that the store takes now is one that Apple need not send again.
    mutating func condition(of keeper: any NotificationKeeper) -> StoreCondition {
        do throws(NotificationStoreError) {
            try keeper.probe(writes: isFailing)
        } catch {
            isFailing = true
            return .failing(error)
        }
        if lookCount < RefusedRows.lookCount, !items.isEmpty {
            lookCount += 1
            for case .notStored(let error) in keeper.store(items) where !error.isAboutItem {
                return .failing(error)
            }
        }
        self = StoreTrial()
        return .open
    }
}
