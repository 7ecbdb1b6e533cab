internal import NotificationStore

/// Subscribers whose states one thread derives.
enum DerivedPiece: Sendable {
    /// Those with these identifiers, at most ``NotificationStore/subscriberPageCount``. The rows are those that came since their
    /// states were derived; nil when it is better to read all rows.
    case listed([String], [String: SubscriberRows]?)
    case range(SubscriberRange)
}

/// The states of some subscribers, derived from their rows.
struct DerivedPage: Sendable {
    /// The states.
    var states: [SubscriberState] = []
    /// The subscribers among them who have too many rows.
    var tooLargeCount = 0

    mutating func add(_ history: WholeHistory, packedUpTo mark: StateMark) {
        if history.isTooLarge { tooLargeCount += 1 }
        states.append(history.state(packedUpTo: mark))
    }
}

extension HistoryRefresh {
    /// Reads the rows of subscribers and derives their states in this thread, page by page.
    private func derivedPage(
        of piece: DerivedPiece,
        packedUpTo mark: StateMark
    ) throws(NotificationStoreError) -> DerivedPage {
        var page = DerivedPage()
        func add(_ rows: some Sequence<SubscriberRows>) throws(NotificationStoreError) {
            for rows in rows { page.add(try history(rows), packedUpTo: mark) }
        }
        switch piece {
        case .listed(let ids, let newer):
            let packed = try newer.map { newer throws(NotificationStoreError) in
                try store.packedSubscribers(
                    ids,
                    adding: newer,
                    upTo: mark,
                    app: app,
                    environment: environment
                )
            }
            if let packed { try add(packed.values) }
            try forEachPage(of: ids.filter { packed?[$0] == nil }) { rows throws(NotificationStoreError) in
                try add(rows)
            }
        case .range(var range):
            while true {
                let read = try store.subscribers(in: range, app: app, environment: environment)
                try add(read.rows.values)
                guard let next = read.next else { break }
                range.after = next
            }
        }
        return page
    }

    /// Derives the states of subscribers, piece by piece.
    ///
    /// - Parameters:
    ///   - mark: the numbers up to which the store keeps the rows with the states.
    ///   - next: returns the next piece; nil when there is none.
    ///   - take: takes the states of each piece, in order.
    /// - Throws: the errors of the store and of the functions.
    func forEachDerivedPage(
        packedUpTo mark: StateMark,
        next: () throws(NotificationStoreError) -> DerivedPiece?,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        let sides = SideReading<DerivedPiece, DerivedPage>(self) {
            refresh,
            piece throws(NotificationStoreError) in
            try refresh.derivedPage(of: piece, packedUpTo: mark)
        }
        while let pages = try sides.pages(of: next) { for page in pages { try take(page) } }
    }
}
