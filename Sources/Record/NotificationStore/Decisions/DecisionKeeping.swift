internal import Cryptography
internal import SQL

extension NotificationStore {
    /// Deletes the decisions about subscriptions, and leaves tombstones, so that none comes again with a log. Returns how many
    /// rows were deleted.
    func eraseDecisions(of ids: [String], _ pseudonyms: SubscriberPseudonyms) throws(NotificationStoreError)
        -> Int
    {
        let time = timing.now()
        return try change(.exclusive) { connection throws(SQLError) in
            var count = 0
            for id in ids {
                guard let name = try? pseudonyms.pseudonym(of: id), let bytes = Hexadecimal.decode(name)
                else {
                    throw SQLError(.outOfMemory, detail: "OpenSSL")
                }
                try Tombstones.add([.pseudonym(name)], at: time, on: connection)
                count += try connection.run(Self.deleteDecisions, [.bytes(bytes)])
            }
            return count
        }
    }

    private static let deleteDecisions: SQLText = "DELETE FROM decisions WHERE subscriber = ?"

    /// Deletes the decisions about subscribers that have a tombstone of another store.
    func eraseEntombedDecisions() throws(NotificationStoreError) -> Int {
        try forPagesOfDecisions { (subscribers, connection) throws(SQLError) in
            let places = try Tombstones.places(of: subscribers, on: connection) {
                [.pseudonym(Hexadecimal.encode($0.span))]
            }
            return try connection.run(
                Self.deleteDecisions, forEach: places.sorted().map { [.bytes(subscribers[$0])] }
            ).reduce(0, +)
        }
    }

    /// Deletes decisions on requests before a time, milliseconds since 1970, and workers that have written nothing since. Logs that
    /// were read before do not bring them back.
    package func pruneDecisions(before time: Int64) throws(NotificationStoreError) -> Int {
        let count = try forPagesOfDecisions { (subscribers, connection) throws(SQLError) in
            try connection.run(
                "DELETE FROM decisions WHERE subscriber >= ? AND subscriber <= ? AND signed_at < ?",
                [.bytes(subscribers[0]), .bytes(subscribers[subscribers.count - 1]), .integer(time)])
        }
        try change(.exclusive) { connection throws(SQLError) in
            try connection.run("DELETE FROM decision_instances WHERE last_at < ?", [.integer(time)])
        }
        return count
    }

    package func hasDecisions() throws(NotificationStoreError) -> Bool {
        try perform { connection throws(SQLError) in
            try !connection.query("SELECT 1 FROM decisions LIMIT 1").isEmpty
        }
    }

    package func decisionCount() throws(NotificationStoreError) -> Int {
        var count = 0
        for first in UInt8.min...UInt8.max {
            // A read of the whole table at once would hold up checkpoints.
            count += try perform { connection throws(SQLError) in
                var text: SQLText = "SELECT COUNT(*) FROM decisions WHERE subscriber >= ?"
                if first == .max { return Int(try connection.number(text, [.bytes([first])])) }
                text += " AND subscriber < ?"
                return Int(try connection.number(text, [.bytes([first]), .bytes([first + 1])]))
            }
        }
        return count
    }

    /// Runs `body` in a transaction for each thousand subscribers, in their order, and adds up what it returns.
    private func forPagesOfDecisions(_ body: ([[UInt8]], any SQLConnection) throws(SQLError) -> Int)
        throws(NotificationStoreError) -> Int
    {
        var (count, place) = (0, [UInt8]())
        while true {
            let page = try change(.exclusive) { connection throws(SQLError) in
                let rows = try connection.query(
                    "SELECT DISTINCT subscriber FROM decisions WHERE subscriber > ? ORDER BY subscriber LIMIT 1000",
                    [.bytes(place)])
                var subscribers: [[UInt8]] = []
                for row in rows { subscribers.append(try row.bytes(0)) }
                if !subscribers.isEmpty { count += try body(subscribers, connection) }
                return subscribers
            }
            guard let last = page.last else { return count }
            place = last
            timing.sleep(2)
        }
    }
}
