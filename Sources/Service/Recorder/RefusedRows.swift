internal import NotificationStore

/// Notices that the store refuses one row after the other, although it opens, commits and answers probes: somebody added a
/// column, a policy or a trigger. One refused row says nothing; ``rowCount`` of them without a stored one in between do.
///
/// A balancer sends nothing to a recorder that says so, so the recorder tries refused rows again itself. It gives that up
/// after a minute, because these rows may be the only bad ones; then it takes notifications until as many are refused again.
struct RefusedRows {
    /// The refused rows that make a failing store.
    static let rowCount = 8
    /// How often refused rows are tried again.
    static let lookCount = 30

    /// The rows that were refused first. They were answered with 503.
    private var items: [StoreItem] = []
    private var count = 0
    private var lookCount = 0
    private var reason: NotificationStoreError?

    /// The condition of a store that refuses all rows; nil while there is no sign of that.
    var condition: StoreCondition? {
        guard count >= Self.rowCount, let fault = reason?.rowFault else { return nil }
        return .failing(.rowsRefused(fault))
    }

    /// Notes what became of a batch.
    mutating func note(_ batch: [StoreItem], _ outcomes: [StoreOutcome]) {
        guard !outcomes.contains(where: \.isSettled) else {
            self = RefusedRows()
            return
        }
        for (item, outcome) in zip(batch, outcomes) {
            guard case .notStored(let error) = outcome, error.rowFault != nil else { continue }
            reason = reason ?? error
            count += 1
            if items.count < Self.rowCount { items.append(item) }
        }
    }

    /// Tries to store rows again that were refused. A row that the store takes now is one that Apple need not send again.
    mutating func tryAgain(_ keeper: any NotificationKeeper) {
        lookCount += 1
        if lookCount >= Self.lookCount || keeper.store(items).contains(where: \.isSettled) {
            self = RefusedRows()
        }
    }
}
