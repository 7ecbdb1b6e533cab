internal import NotificationStore
internal import System

/// The states of some subscribers, derived from their rows.
struct DerivedPage: Sendable {
    /// The states.
    var states: [SubscriberState] = []
    /// The subscribers among them who have too many rows.
    var tooLargeCount = 0
    /// How many of the identifiers, from the first one on, have been looked for.
    var readCount = 0
}

extension HistoryRefresh {
    /// Reads the rows of subscribers and derives their states in this thread. Where they have very many rows, the page ends
    /// earlier.
    func derivedPage(of ids: [String]) throws(NotificationStoreError) -> DerivedPage {
        let read = try store.subscribers(ids, app: app, environment: environment)
        var page = DerivedPage(readCount: read.readCount)
        for id in ids.prefix(read.readCount) {
            let history = try history(read.rows[id] ?? SubscriberRows(originalTransactionID: id))
            if history.isTooLarge { page.tooLargeCount += 1 }
            page.states.append(history.state)
        }
        return page
    }

    /// Derives the states of subscribers, page by page: one page in this thread while others derive the next ones, each over a
    /// connection of its own, so that they wait for the disk side by side. Without more connections, this thread derives all.
    ///
    /// Each thread allocates and frees the rows that it reads. When one thread reads them and another one derives the states,
    /// both wait for each other's memory.
    func forEachDerivedPage(
        of ids: [String],
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        let count = NotificationStore.subscriberPageCount
        let sides = (1...Self.sideCount).compactMap {
            ids.count > $0 * count ? SideConnection(beside: store) : nil
        }
        var rest = ids[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            var begun: [(ids: [String], thread: JoinableThread<DerivedPage?>?)] = []
            for side in sides where !rest.isEmpty {
                let page = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
                begun.append((page, begin(page, over: side)))
            }
            let derived = Result { () throws(NotificationStoreError) in try derivedPage(of: page) }
            let others = begun.map { (ids: $0.ids, page: ($0.thread?.join() ?? nil) ?? DerivedPage()) }
            for (ids, page) in [(page, try derived.get())] + others {
                try take(page)
                if page.readCount < ids.count { rest = ids.dropFirst(page.readCount) + rest }
            }
        }
    }

    private func begin(_ ids: [String], over side: SideConnection) -> JoinableThread<DerivedPage?>? {
        side.begin { [app, environment] store throws(NotificationStoreError) in
            try HistoryRefresh(store, app: app, environment: environment).derivedPage(of: ids)
        }
    }

    /// The most connections beside the caller's own one.
    private static let sideCount = 3
}
