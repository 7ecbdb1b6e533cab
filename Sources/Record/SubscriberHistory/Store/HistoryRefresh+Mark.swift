internal import NotificationStore

/// How a refresh begins and ends in the cursor of the states: its position is the version of the derivation, and its detail has
/// the numbers of the mark, the word `states` or `none`, and while a refresh runs a random word of that refresh.
extension HistoryRefresh {
    /// A refresh that has begun.
    struct Begun {
        /// The mark of the states from which it goes on; nil when it derives all states.
        let from: StateMark?
        /// The cursor as it is meanwhile.
        let cursor: StoreCursor
        /// The right to write states.
        let claim: StateClaim
    }

    /// The name of the cursor.
    private var cursorName: String { StoreCursor.statesPrefix + "\(environment):\(app)" }

    /// The position of the cursor while all states are derived: no version of the derivation has it.
    private static let unfinished: Int64 = 0

    /// Claims the states. It derives all of them when asked to, when there are none, when another version of the derivation made
    /// them, and when somebody has emptied their table.
    func begin(isFull: Bool) throws(NotificationStoreError) -> Begun {
        let word = String(UInt64.random(in: .min ... .max), radix: 16)
        if !isFull, let (cursor, mark, hasStates) = try last(),
            hasStates == (try store.hasStates(app: app, environment: environment))
        {
            let next = StoreCursor(
                position: cursor.position,
                detail: Self.detail(mark, hasStates) + " " + word
            )
            if try store.moveCursor(named: cursorName, from: cursor, to: next) {
                return Begun(from: mark, cursor: next, claim: StateClaim(name: cursorName, cursor: next))
            }
        }
        let next = StoreCursor(position: Self.unfinished, detail: word)
        try store.setCursor(next, named: cursorName)
        return Begun(from: nil, cursor: next, claim: StateClaim(name: cursorName, cursor: next))
    }

    /// Says that the states go up to a mark. Whoever deletes rows without erasing a subscriber takes the cursor away, and then the
    /// next refresh derives all states.
    func end(_ begun: Begun, at mark: StateMark) throws(NotificationStoreError) {
        let hasStates = try store.hasStates(app: app, environment: environment)
        let end = StoreCursor(position: HistoryFacts.version, detail: Self.detail(mark, hasStates))
        _ = try store.moveCursor(named: cursorName, from: begun.cursor, to: end)
    }

    /// The right to write states of a caller who holds the lock and whose refresh has ended; nil when rows were deleted since.
    func claimAfterEnd() throws(NotificationStoreError) -> StateClaim? {
        try store.cursor(named: cursorName).map { StateClaim(name: cursorName, cursor: $0) }
    }

    private static func detail(_ mark: StateMark, _ hasStates: Bool) -> String {
        let numbers = [mark.notifications, mark.transactions, mark.renewals, mark.synchronizations]
        return numbers.map { String($0) }.joined(separator: " ") + (hasStates ? " states" : " none")
    }

    /// Where the cursor is, how far the states go, and whether there were any; nil when this version of the derivation has made
    /// none.
    private func last() throws(NotificationStoreError) -> (
        cursor: StoreCursor, mark: StateMark, hasStates: Bool
    )? {
        guard let cursor = try store.cursor(named: cursorName), cursor.position == HistoryFacts.version
        else { return nil }
        let words = (cursor.detail ?? "").split(separator: " ")
        let numbers = words.prefix(4).compactMap { Int64($0) }
        guard numbers.count == 4, words.count > 4 else { return nil }
        let mark = StateMark(
            notifications: numbers[0],
            transactions: numbers[1],
            renewals: numbers[2],
            synchronizations: numbers[3]
        )
        return (cursor, mark, words[4] == "states")
    }
}
