internal import SQL

/// Tombstones of a store, to be taken over by another one. They say of whom nothing may be stored only to somebody who has
/// the keys and guesses the identifier.
public struct StoreTombstones: Sendable {
    /// The keys of the hashes.
    public let keys: [[UInt8]]
    /// The hashes, with the time of the erasure, milliseconds since 1970.
    public let entries: [(hash: [UInt8], erasedAt: Int64)]

    /// Describes tombstones that were exported.
    public init(keys: [[UInt8]], entries: [(hash: [UInt8], erasedAt: Int64)]) {
        self.keys = keys
        self.entries = entries
    }
}

extension NotificationStore {
    /// Returns a page of tombstones, ordered by their hashes, with all keys.
    ///
    /// - Parameters:
    ///   - after: the last hash of the page before; empty for the first page.
    ///   - count: the most hashes of the page.
    /// - Returns: the page.
    /// - Throws: the errors of the database.
    public func tombstones(after: [UInt8] = [], count: Int = StorePage.greatestCount)
        throws(NotificationStoreError) -> StoreTombstones
    {
        try perform { connection throws(SQLError) in
            var keys: [[UInt8]] = []
            for row in try connection.query("SELECT secret FROM tombstone_keys ORDER BY id") {
                keys.append(try row.bytes(0))
            }
            var entries: [(hash: [UInt8], erasedAt: Int64)] = []
            for row in try connection.query(
                "SELECT hash, erased_at FROM tombstones WHERE hash > ? ORDER BY hash LIMIT ?",
                [.bytes(after), .integer(Int64(min(max(count, 1), StorePage.greatestCount)))])
            { entries.append((try row.bytes(0), try row.integer(1))) }
            return StoreTombstones(keys: keys, entries: entries)
        }
    }

    /// Takes over tombstones of another store. ``eraseEntombed()`` must follow: it deletes what is here already.
    ///
    /// - Throws: `store.bad-argument` when a key or a hash does not have 32 bytes.
    public func add(_ tombstones: StoreTombstones) throws(NotificationStoreError) {
        let isSound =
            tombstones.keys.allSatisfy { $0.count == 32 }
            && tombstones.entries.allSatisfy { $0.hash.count == 32 }
        guard isSound else { throw .badArgument }
        try change(.exclusive) { connection throws(SQLError) in
            try connection.run(Tombstones.addKey, forEach: tombstones.keys.map { [.bytes($0)] })
            let rows = tombstones.entries.map { [SQLValue.bytes($0.hash), .integer($0.erasedAt)] }
            try connection.run(Tombstones.addHash, forEach: rows)
        }
    }
}
