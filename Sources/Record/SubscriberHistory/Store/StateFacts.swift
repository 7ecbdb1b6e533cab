public import NotificationStore

/// The facts about some subscribers at a time, as their states say.
public struct StateFacts: Sendable {
    /// The subscribers with their facts. The facts are nil where the state says nothing of the time, and where it is damaged;
    /// ``HistoryRefresh/facts(of:at:)`` derives them from the rows.
    public private(set) var subscribers: [(originalTransactionID: String, facts: StoredPiece?)] = []
    /// The further subscribers who have too many rows, and so no facts.
    public private(set) var tooLargeCount = 0
    /// The further subscriptions whose states must be derived again, because an erasure changed their histories.
    public let outdatedIDs: [String]

    /// Reads the facts of a time out of states.
    ///
    /// - Parameters:
    ///   - page: the states.
    ///   - now: the time, milliseconds since 1970.
    ///   - covered: the ranges of time for which every notification is in the store.
    public init(_ page: StatePage, at now: Int64, covered: [TimeRange]) {
        outdatedIDs = page.outdatedIDs
        subscribers.reserveCapacity(page.states.count)
        for (id, bytes) in page.states {
            if bytes == FactPieces.tooLarge {
                tooLargeCount += 1
            } else {
                subscribers.append((id, FactPieces.piece(in: bytes, at: now, covered: covered)))
            }
        }
    }
}
