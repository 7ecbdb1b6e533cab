/// The subscribers of whom rows were found. A row of nobody is left out.
struct FoundSubscribers {
    private var all: [SubscriberRows] = []
    private var places: [String: Int] = [:]
    /// The place of the last row's subscriber, because rows of one subscriber mostly follow each other.
    private var last = 0

    mutating func add(_ row: PartRow<TransactionColumns>) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].transactions.append(row)
    }

    mutating func add(_ row: PartRow<RenewalColumns>) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].renewals.append(row)
    }

    mutating func add(_ row: NotificationRow) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].notifications.append(row)
    }

    private mutating func place(of id: String) -> Int {
        if last < all.count, all[last].originalTransactionID == id { return last }
        if let known = places[id] {
            last = known
        } else {
            last = all.count
            places[id] = last
            all.append(SubscriberRows(originalTransactionID: id))
        }
        return last
    }

    mutating func synchronize(_ id: String, at time: Int64) {
        if let place = places[id] { all[place].synchronizedAt = time }
    }

    /// The subscribers by their identifiers, each with its rows in the order of storing. The rows of one who has too many are
    /// left out.
    consuming func byID() -> [String: SubscriberRows] {
        for place in all.indices {
            if all[place].greatestCount > NotificationStore.subscriberRowCount {
                all[place] = SubscriberRows(originalTransactionID: all[place].originalTransactionID)
                all[place].hasTooMany = true
            }
            all[place].transactions.sort { $0.id < $1.id }
            all[place].renewals.sort { $0.id < $1.id }
            all[place].notifications.sort { $0.id < $1.id }
        }
        return places.mapValues { all[$0] }
    }
}

extension SubscriberRows {
    /// The number of rows of the kind of which there are most.
    var greatestCount: Int { max(transactions.count, renewals.count, notifications.count) }
}
