internal import Cryptography
internal import SQL

/// Something that was erased, whose parts must not come back.
enum TombstoneSubject: Sendable, Hashable {
    case originalTransaction(String)
    /// A subscription that goes on under another identifier since a move to Advanced Commerce. It is somebody's whom nobody
    /// erased, so the tombstone keeps out only what happened until the erasure. `time` is when it happened.
    case predecessor(String, at: Int64)
    case appTransaction(String)
    case notification(uuid: String)

    private var text: String {
        switch self {
        case .originalTransaction(let id), .predecessor(let id, _): "originalTransactionId:\(id)"
        case .appTransaction(let id): "appTransactionId:\(id)"
        case .notification(let uuid): "notificationUUID:\(uuid)"
        }
    }

    func isKeptOut(erasedAt: Int64) -> Bool {
        if case .predecessor(_, let time) = self { time <= erasedAt } else { true }
    }

    func hash(_ code: HMACSHA256) throws(SQLError) -> SQLValue {
        do throws(CryptographyError) {
            return .bytes(try code.authenticate(text.utf8Span.span).bytes)
        } catch {
            throw SQLError(.outOfMemory, detail: "OpenSSL")
        }
    }
}

/// Reads and writes the hashes of what was erased. The functions run inside of a transaction.
enum Tombstones {
    /// Returns the places of those items that have a subject whose tombstone keeps it out. Asks for the subjects of the items
    /// only when the store has tombstones.
    static func places<Item>(
        of items: [Item], on connection: any SQLConnection, subjects: (Item) -> [TombstoneSubject]
    ) throws(SQLError) -> Set<Int> {
        Set(try times(of: items, on: connection, subjects: subjects).keys)
    }

    /// The same, with the time of the latest erasure that keeps the item out.
    static func times<Item>(
        of items: [Item], on connection: any SQLConnection, subjects: (Item) -> [TombstoneSubject]
    ) throws(SQLError) -> [Int: Int64] {
        let keys = try keys(on: connection)
        guard !keys.isEmpty else { return [:] }
        var hashes: [(place: Int, subject: TombstoneSubject, hash: SQLValue)] = []
        for (place, item) in items.enumerated() {
            for subject in subjects(item) {
                for key in keys { hashes.append((place, subject, try subject.hash(key))) }
            }
        }
        var erasedAt: [SQLValue: Int64] = [:]
        for values in listed.pages(of: hashes.map(\.hash)) {
            for row in try connection.query(search, values) {
                erasedAt[row.values[0]] = try row.integer(1)
            }
        }
        return hashes.reduce(into: [:]) { times, entry in
            guard let time = erasedAt[entry.hash], entry.subject.isKeptOut(erasedAt: time) else { return }
            times[entry.place] = max(time, times[entry.place] ?? .min)
        }
    }

    /// Writes tombstones, with a new key when the store has none.
    static func add(_ subjects: [TombstoneSubject], at time: Int64, on connection: any SQLConnection)
        throws(SQLError)
    {
        var keys = try keys(on: connection)
        if keys.isEmpty {
            try connection.run(addKey, [.bytes(RandomBytes.make(32))])
            keys = try self.keys(on: connection)
        }
        guard let key = keys.first else { throw SQLError(.refused, detail: "no key") }
        var rows: [[SQLValue]] = []
        for subject in subjects { rows.append([try subject.hash(key), .integer(time)]) }
        try connection.run(addHash, forEach: rows)
    }

    static let addKey: SQLText =
        "INSERT INTO tombstone_keys (secret) VALUES (?) ON CONFLICT (secret) DO NOTHING"
    /// A later erasure of the same subject moves the time on.
    static let addHash: SQLText = """
        INSERT INTO tombstones (hash, erased_at) VALUES (?, ?) ON CONFLICT (hash)
        DO UPDATE SET erased_at = excluded.erased_at WHERE excluded.erased_at > tombstones.erased_at
        """

    private static let listed = SQLList(count: 64)
    private static let search: SQLText = "SELECT hash, erased_at FROM tombstones WHERE hash IN " + listed.text

    /// The keys, the oldest first. A store has more than one only after an import.
    private static func keys(on connection: any SQLConnection) throws(SQLError) -> [HMACSHA256] {
        var keys: [HMACSHA256] = []
        for row in try connection.query("SELECT secret FROM tombstone_keys ORDER BY id") {
            let secret = try row.bytes(0)
            do throws(CryptographyError) {
                keys.append(try HMACSHA256(key: secret.span))
            } catch {
                throw SQLError(.outOfMemory, detail: "OpenSSL")
            }
        }
        return keys
    }
}

/// Tombstones of a store, to be taken over by another one. They say of whom nothing may be stored only to somebody who has
/// the keys and guesses the identifier.
package struct StoreTombstones: Sendable {
    package let keys: [[UInt8]]
    package let entries: [(hash: [UInt8], erasedAt: Int64)]

    package init(keys: [[UInt8]], entries: [(hash: [UInt8], erasedAt: Int64)]) {
        self.keys = keys
        self.entries = entries
    }
}

extension NotificationStore {
    /// Returns a page of tombstones, ordered by their hashes, with all keys.
    package func tombstones(after: [UInt8] = [], count: Int = StorePage.greatestCount)
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
    package func add(_ tombstones: StoreTombstones) throws(NotificationStoreError) {
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
