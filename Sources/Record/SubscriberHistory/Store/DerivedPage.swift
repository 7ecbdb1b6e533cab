internal import NotificationStore

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

    /// Derives the states of subscribers, piece by piece.
    ///
    /// - Parameters:
    ///   - next: returns the next piece; nil when there is none.
    ///   - take: takes the states of each piece, in order.
    /// - Throws: the errors of the store and of the functions.
    func forEachDerivedPage(
        next: () throws(NotificationStoreError) -> DerivedPiece?,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        let sides = SideReading<DerivedPiece, DerivedPage>(self) {
            refresh,
            piece throws(NotificationStoreError) in
            try refresh.derivedPage(of: piece)
        }
        while let pages = try sides.pages(of: next) { for page in pages { try take(page) } }
    }
}
