internal import SQL

/// The moves of subscriptions to Advanced Commerce, each from one identifier to another.
struct SubscriptionMoves {
    /// The identifiers to which a subscription moved, by the one before.
    private(set) var next: [String: Set<String>] = [:]

    /// Reads the moves from some subscriptions, and those that follow them.
    init(from ids: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        try add(from: ids, on: connection)
    }

    /// Reads further moves from some subscriptions, and those that follow them.
    mutating func add(from ids: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        var known = ids
        var last = ids
        for _ in 0..<Self.longestChain where !last.isEmpty {
            let asked = last.sorted().map { SQLValue.text($0) }
            last = []
            for values in Self.listed.pages(of: asked) {
                for row in try connection.query(Self.search, values) {
                    let id = try row.text(1)
                    next[try row.text(0), default: []].insert(id)
                    if known.insert(id).inserted { last.insert(id) }
                }
            }
        }
    }

    /// Returns the subscriptions to which some others moved, in one step or several.
    func successors(of ids: Set<String>) -> Set<String> {
        var found: Set<String> = []
        var last = ids
        while !last.isEmpty {
            var following: Set<String> = []
            for id in last { following.formUnion(next[id] ?? []) }
            last = following.subtracting(ids).subtracting(found)
            found.formUnion(last)
        }
        return found
    }

    /// Returns the identifiers of some subscriptions and of those to which they moved.
    func ids(following owners: Set<StoredSubscription>) -> Set<String> {
        let ids = Set(owners.map(\.id))
        return ids.union(successors(of: ids))
    }

    /// Returns some subscriptions and those to which they moved, each in its app and environment.
    func followed(_ owners: Set<StoredSubscription>) -> Set<StoredSubscription> {
        var all = owners
        for owner in owners {
            for id in successors(of: [owner.id]) {
                all.insert(StoredSubscription(app: owner.app, environment: owner.environment, id: id))
            }
        }
        return all
    }

    /// The most moves of one subscriber that count.
    private static let longestChain = 16
    /// The subscriptions that are looked for together.
    private static let listed = SQLList(count: 256)
    static let search: SQLText =
        "SELECT DISTINCT previous_original_transaction_id, original_transaction_id FROM transactions "
        + "WHERE previous_original_transaction_id IN " + listed.text
        + " AND previous_original_transaction_id IS NOT NULL AND original_transaction_id IS NOT NULL"
}
