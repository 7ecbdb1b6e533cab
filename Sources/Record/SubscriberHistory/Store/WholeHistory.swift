internal import NotificationStore

/// The rows of a subscription, and those of the subscriptions from which it moved to Advanced Commerce, the latest first.
struct WholeHistory: Sendable {
    let rows: SubscriberRows
    var previous: [SubscriberRows] = []

    /// True when the rows are more than a customer can have, as those of a test account or of a mistake. Nothing follows from
    /// some of the rows alone.
    var isTooLarge: Bool {
        rows.hasTooMany || previous.contains(where: \.hasTooMany)
            || rowCount > Self.greatestRowCount
    }

    /// The number of all rows.
    var rowCount: Int { previous.reduce(rows.count) { $0 + $1.count } }

    /// The most rows of a history.
    private static let greatestRowCount = 3 * NotificationStore.subscriberRowCount

    /// The payloads; nil when the history is too large.
    func payloads(covered: [TimeRange] = []) -> SubscriberPayloads? {
        isTooLarge ? nil : SubscriberPayloads(rows, previous: previous, covered: covered)
    }

    /// What follows from the rows.
    ///
    /// - Parameter mark: the numbers up to which the store keeps the rows with the state; nil for none.
    /// - Returns: the state, with these rows.
    func state(packedUpTo mark: StateMark?) -> SubscriberState {
        let all = [rows] + previous
        let payloads = isTooLarge ? nil : SubscriberPayloads(rows, previous: previous, hasShortNames: true)
        return SubscriberState(
            originalTransactionID: rows.originalTransactionID,
            bytes: isTooLarge ? FactPieces.tooLarge : payloads.flatMap { FactPieces($0)?.bytes },
            sources: Set(all.map(\.originalTransactionID)),
            downloads: all.reduce(into: []) { $0.formUnion($1.downloads) },
            linkingRows: all.reduce(into: []) { $0.formUnion($1.linkingRows) },
            packedRows: mark.flatMap { rows.packed(upTo: $0) }
        )
    }
}
