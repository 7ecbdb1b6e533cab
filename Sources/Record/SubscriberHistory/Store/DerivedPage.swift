internal import NotificationStore
internal import System

/// Subscribers whose states one thread derives.
enum DerivedPiece: Sendable {
    /// Those with these identifiers, at most ``NotificationStore/subscriberPageCount``.
    case listed([String])
    case range(SubscriberRange)
}

/// The states of some subscribers, derived from their rows.
struct DerivedPage: Sendable {
    /// The states.
    var states: [SubscriberState] = []
    /// The subscribers among them who have too many rows.
    var tooLargeCount = 0

    mutating func add(_ history: WholeHistory) {
        if history.isTooLarge { tooLargeCount += 1 }
        states.append(history.state)
    }
}

extension HistoryRefresh {
    /// Reads the rows of subscribers and derives their states in this thread, page by page.
    private func derivedPage(of piece: DerivedPiece) throws(NotificationStoreError) -> DerivedPage {
        var page = DerivedPage()
        switch piece {
        case .listed(let ids):
            try forEachPage(of: ids) { rows throws(NotificationStoreError) in
                for rows in rows { page.add(try history(rows)) }
            }
        case .range(var range):
            while true {
                let read = try store.subscribers(in: range, app: app, environment: environment)
                for rows in read.rows.values { page.add(try history(rows)) }
                guard let next = read.next else { break }
                range.after = next
            }
        }
        return page
    }

    /// Derives the states of subscribers, piece by piece: one piece in this thread while others derive the next ones, each over a
    /// connection of its own, so that they wait for the disk side by side. Without more connections, this thread derives all.
    ///
    /// Each thread allocates and frees the rows that it reads. When one thread reads them and another one derives the states,
    /// both wait for each other's memory.
    ///
    /// - Parameters:
    ///   - next: returns the next piece; nil when there is none.
    ///   - take: takes the states of each piece, in order.
    /// - Throws: the errors of the store and of the functions.
    func forEachDerivedPage(
        next: () throws(NotificationStoreError) -> DerivedPiece?,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        var sides: [SideConnection] = []
        // A server that has no room for one more connection is not asked again.
        var hasRoom = true
        while true {
            var pieces: [DerivedPiece] = []
            while pieces.count <= Self.sideCount, let piece = try next() { pieces.append(piece) }
            guard !pieces.isEmpty else { return }
            while hasRoom, sides.count < pieces.count - 1 {
                if let side = SideConnection(beside: store) { sides.append(side) } else { hasRoom = false }
            }
            let ownCount = max(1, pieces.count - sides.count)
            let begun = zip(pieces[ownCount...], sides).map { (piece: $0, thread: begin($0, over: $1)) }
            let derived = Result { () throws(NotificationStoreError) in
                var own: [DerivedPage] = []
                for piece in pieces[..<ownCount] { own.append(try derivedPage(of: piece)) }
                return own
            }
            let others = begun.map { (piece: $0.piece, page: $0.thread?.join() ?? nil) }
            for page in try derived.get() { try take(page) }
            for (piece, page) in others {
                if let page { try take(page) } else { try take(try derivedPage(of: piece)) }
            }
        }
    }

    private func begin(_ piece: DerivedPiece, over side: SideConnection) -> JoinableThread<DerivedPage?>? {
        side.begin { [app, environment] store throws(NotificationStoreError) in
            try HistoryRefresh(store, app: app, environment: environment).derivedPage(of: piece)
        }
    }

    /// The most connections beside the caller's own one.
    private static let sideCount = 3
}
