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
    ///   - first: the first piece; nil when there is nobody.
    ///   - following: returns the piece after another one; nil when there is none.
    ///   - take: takes the states of each piece, in order.
    /// - Throws: the errors of the store and of the functions.
    func forEachDerivedPage(
        _ first: DerivedPiece?,
        following: (DerivedPiece) throws(NotificationStoreError) -> DerivedPiece?,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        var sides: [SideConnection] = []
        var sideLimit = Self.sideCount
        var next = first
        while let own = next {
            next = try following(own)
            var pieces: [DerivedPiece] = []
            while pieces.count < sideLimit, let piece = next {
                if sides.count == pieces.count {
                    guard let side = SideConnection(beside: store) else {
                        // A server that has no room is not asked again.
                        sideLimit = sides.count
                        break
                    }
                    sides.append(side)
                }
                pieces.append(piece)
                next = try following(piece)
            }
            let begun = zip(pieces, sides).map { (piece: $0, thread: begin($0, over: $1)) }
            let derived = Result { () throws(NotificationStoreError) in try derivedPage(of: own) }
            let others = begun.map { (piece: $0.piece, page: $0.thread?.join() ?? nil) }
            try take(try derived.get())
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
