public import NotificationStore

extension HistoryRefresh {
    /// Derives states again that an erasure has made outdated since the refresh, so that these subscribers do not lose their
    /// facts until the next one. An erasure that is under way may make them outdated again, so this is tried a few times.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers.
    ///   - lock: the lock of the app and the environment.
    ///   - attempt: called before each attempt writes.
    /// - Returns: the states that were written, and the subscribers who are not erased and whose states are still outdated.
    /// - Throws: the errors of the store.
    public func derive(
        outdated ids: [String],
        holding lock: borrowing StatesLock,
        attempt: () -> Void = {}
    ) throws(NotificationStoreError) -> StatePage {
        var found = StatePage()
        found.outdatedIDs = ids
        let claim = try claimAfterEnd()
        for _ in 0..<Self.attemptCount where !found.outdatedIDs.isEmpty {
            var outdated: Set<String> = []
            try forEachPage(of: found.outdatedIDs, leavingOutErased: true) {
                page throws(NotificationStoreError) in
                var states: [SubscriberState] = []
                for rows in page {
                    states.append(try history(rows, leavingOutErased: true).state(packedUpTo: nil))
                }
                attempt()
                let refused = try store.write(states, app: app, environment: environment, with: claim)
                for state in states where !refused.contains(state.originalTransactionID) {
                    if let bytes = state.bytes { found.states.append((state.originalTransactionID, bytes)) }
                }
                outdated.formUnion(refused)
            }
            // Nobody misses the facts of a subscriber who is erased.
            found.outdatedIDs = outdated.subtracting(try store.entombed(outdated)).sorted()
        }
        return found
    }

    /// How often a state is derived again that an erasure makes outdated each time.
    private static let attemptCount = 5
}
