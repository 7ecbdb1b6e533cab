internal import Cryptography
internal import SQL

enum TombstoneSubject: Sendable, Hashable {
    case originalTransaction(String)
    /// A subscription that goes on under another identifier since a move to Advanced Commerce. It is somebody's whom nobody
    /// erased, so the tombstone keeps out only what happened until the erasure. `time` is when it happened.
    case predecessor(String, at: Int64)
    case appTransaction(String)
    case notification(uuid: String)
    /// The name of a subscriber in decision logs.
    case pseudonym(String)

    private var text: String {
        switch self {
        case .originalTransaction(let id), .predecessor(let id, _): "originalTransactionId:\(id)"
        case .appTransaction(let id): "appTransactionId:\(id)"
        case .notification(let uuid): "notificationUUID:\(uuid)"
        case .pseudonym(let name): "subscriber:\(name)"
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

enum Tombstones {
    /// Asks for the subjects of the items only when the store has tombstones.
    static func places<Item>(
        of items: [Item], on connection: any SQLConnection, subjects: (Item) -> [TombstoneSubject]
    ) throws(SQLError) -> Set<Int> {
        Set(try times(of: items, on: connection, subjects: subjects).keys)
    }

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

/// They say of whom nothing may be stored only to somebody who has the keys and guesses the identifier.
package struct StoreTombstones: Sendable {
    package let keys: [[UInt8]]
    package let entries: [(hash: [UInt8], erasedAt: Int64)]

    package init(keys: [[UInt8]], entries: [(hash: [UInt8], erasedAt: Int64)]) {
        self.keys = keys
        self.entries = entries
    }
}

extension NotificationStore {
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

/// A tombstone has a hash alone, so that every identifier must be hashed.
struct EntombedSearch {
    let page: SQLText
    let begin: SQLValue
    let subject: @Sendable (String) -> ErasureSubject

    /// The columns with identifiers of subscriptions. Those of notifications without a known subscription are in no column.
    static let subscriptions: [EntombedSearch] =
        [
            ids("transactions", "original_transaction_id"), ids("renewals", "original_transaction_id"),
            ids("notifications", "original_transaction_id"),
            ids("transactions", "previous_original_transaction_id"),
            EntombedSearch(
                page:
                    "SELECT id, original_transaction_id FROM synchronizations WHERE id > ? ORDER BY id LIMIT ?",
                begin: .integer(0)
            ) { .originalTransaction($0) },
        ]

    static let downloads = ["transactions", "renewals", "notifications", "app_transactions"].map { table in
        EntombedSearch(page: distinct(table, "app_transaction_id"), begin: .text("")) { .appTransaction($0) }
    }

    private static func ids(_ table: SQLText, _ column: SQLText) -> EntombedSearch {
        EntombedSearch(page: distinct(table, column), begin: .text("")) { .originalTransaction($0) }
    }

    private static func distinct(_ table: SQLText, _ column: SQLText) -> SQLText {
        "SELECT DISTINCT " + column + ", " + column + " AS name FROM " + table + " WHERE " + column
            + " > ? ORDER BY " + column + " LIMIT ?"
    }

    func next(after place: SQLValue, on connection: any SQLConnection) throws(SQLError) -> (
        erasures: [Erasure], next: SQLValue?
    ) {
        let rows = try connection.query(page, [place, .integer(Self.pageCount)])
        var ids: [String] = []
        for row in rows { ids.append(try row.text(1)) }
        let times = try Tombstones.times(of: ids, on: connection) { [subject($0).tombstone] }
        let erasures = times.sorted { $0.key < $1.key }.map { place, time in
            Erasure(subject: subject(ids[place]), erasedAt: time)
        }
        return (erasures, rows.count == Self.pageCount ? rows.last?.values[0] : nil)
    }

    private static let pageCount: Int64 = 1000
}

extension NotificationStore {
    /// Returns those that have a tombstone. An erasure that is under way leaves their rows for a while.
    package func entombed(_ subjects: Set<ErasureSubject>) throws(NotificationStoreError) -> Set<
        ErasureSubject
    > {
        let asked = Array(subjects)
        return try perform { connection throws(SQLError) in
            let places = try Tombstones.places(of: asked, on: connection) { [$0.tombstone] }
            return Set(places.map { asked[$0] })
        }
    }

    /// After tombstones of another store were taken over (``add(_:)``), the store has rows of their subscribers until
    /// then.
    package func eraseEntombed() throws(NotificationStoreError) -> ErasureReport {
        var report = ErasureReport()
        let hasTombstones = try perform { connection throws(SQLError) in
            try !connection.query("SELECT 1 FROM tombstones LIMIT 1").isEmpty
        }
        guard hasTombstones else { return report }
        report.decisionCount = try eraseEntombedDecisions()
        var found: [String: Erasure] = [:]
        try forEachEntombed(EntombedSearch.downloads) { found[$0.subject.id] = $0 }
        let downloads = found.values.sorted { $0.subject.id < $1.subject.id }
        // The tombstones of their subscriptions come first: the rows that name them are deleted below.
        for erasure in downloads {
            let ids = try perform { connection throws(SQLError) in try erasure.subscriptions(on: connection) }
            try entomb(ids.sorted().map { .originalTransaction($0) }, at: erasure.erasedAt)
            report.erasedOriginalTransactionIDs.formUnion(ids)
        }
        try eraseUnassigned(&report) { rows throws(NotificationStoreError) in
            try perform { connection throws(SQLError) in
                var subjects: [[TombstoneSubject]] = []
                for row in rows { subjects.append(try Erasure.subjects(ofUnassigned: row)) }
                return try Tombstones.places(of: subjects, on: connection) { $0 }.sorted()
            }
        }
        try forEachEntombed(EntombedSearch.subscriptions) { erasure throws(NotificationStoreError) in
            try deleteRows(of: erasure, &report)
        }
        for erasure in downloads { try deleteRows(of: erasure, &report) }
        report.linkedOriginalTransactionIDs.subtract(report.erasedOriginalTransactionIDs)
        report.linkedAppTransactionIDs.subtract(found.keys)
        return report
    }

    private func forEachEntombed(
        _ searches: [EntombedSearch], _ body: (Erasure) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        for search in searches {
            var place: SQLValue? = search.begin
            while let begin = place {
                let page = try perform { connection throws(SQLError) in
                    try search.next(after: begin, on: connection)
                }
                for erasure in page.erasures { try body(erasure) }
                place = page.next
            }
        }
    }
}
