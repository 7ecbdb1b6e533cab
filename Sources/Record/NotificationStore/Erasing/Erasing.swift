package import Cryptography
internal import SQL
internal import System

extension NotificationStore {
    /// Deletes every row that belongs to a subscriber, and leaves a tombstone, so that nothing of the subscriber is stored
    /// again: neither by a retry of Apple nor from Apple's history, an answer of the API or an import.
    ///
    /// A subscription that goes on under another identifier since a move to Advanced Commerce is not erased, only those of its
    /// rows that name the erased one. What Apple signs about it after the erasure is stored.
    ///
    /// With a download of the app, the subscriptions that its rows name are erased, too, each as by its own identifier.
    ///
    /// The tombstones come first, so an erasure that was interrupted is finished by erasing again. The rows are deleted in
    /// short transactions. Free parts of a SQLite file may keep the identifiers until ``compact()``.
    ///
    /// Decisions are found by the pseudonyms of the subscriptions; without the key they stay.
    ///
    /// - Throws: `store.bad-argument` for an empty identifier or one of more than 512 bytes.
    package func erase(_ subject: ErasureSubject, _ pseudonyms: SubscriberPseudonyms? = nil)
        throws(NotificationStoreError) -> ErasureReport
    {
        guard !subject.id.isEmpty, ColumnText.fits(subject.id) else { throw .badArgument }
        let time = timing.now()
        try entomb([subject], at: time)
        var report = ErasureReport()
        if case .appTransaction(let id) = subject {
            report.erasedOriginalTransactionIDs = try perform { connection throws(SQLError) in
                try Erasure.subscriptions(ofDownload: id, on: connection)
            }
        }
        let subscriptions = report.erasedOriginalTransactionIDs.sorted().map {
            ErasureSubject.originalTransaction($0)
        }
        try entomb(subscriptions, at: time)
        if let pseudonyms {
            var ids = subscriptions.map(\.id)
            if case .originalTransaction(let id) = subject { ids.append(id) }
            report.decisionCount = try eraseDecisions(of: ids, pseudonyms)
        }
        let own = Erasure(subject: subject, erasedAt: time)
        let others = subscriptions.map {
            Erasure(subject: $0, erasedAt: time, keptDownload: subject.id)
        }
        try eraseUnassigned(&report) { rows throws(NotificationStoreError) in
            rows.indices.filter { place in
                (others + [own]).contains { $0.isMentioned(in: rows[place]) && !$0.isLater(rows[place]) }
            }
        }
        // The rows that name the download come last: through them, an erasure that was interrupted finds the others again.
        for other in others { try deleteRows(of: other, &report) }
        try deleteRows(of: own, &report)
        report.linkedOriginalTransactionIDs.subtract(report.erasedOriginalTransactionIDs)
        if case .appTransaction(let id) = subject { report.linkedAppTransactionIDs.remove(id) }
        return report
    }

    func entomb(_ subjects: [ErasureSubject], at time: Int64) throws(NotificationStoreError) {
        guard !subjects.isEmpty else { return }
        try change(.exclusive) { connection throws(SQLError) in
            try Tombstones.add(subjects.map(\.tombstone), at: time, on: connection)
        }
    }

    func deleteRows(of erasure: Erasure, _ report: inout ErasureReport) throws(NotificationStoreError) {
        let (rows, known) = try perform { connection throws(SQLError) in
            let moves = try SubscriptionMoves(from: erasure.subscriptions(on: connection), on: connection)
            return (try erasure.rows(moves, on: connection), moves)
        }
        var moves = known
        // Notifications first: those of a subscription that moved are found through their transactions.
        for table in [StoreTable.notifications, .transactions, .renewals, .appTransactions] {
            try inShortTransactions(rows[table] ?? []) { (some, connection) throws(SQLError) in
                let owners = try erasure.delete(some, from: table, &report, on: connection)
                // In the same transaction, so that no history from which rows are gone counts as whole. A move may have been
                // stored meanwhile.
                try moves.add(from: moves.ids(following: owners), on: connection)
                try Erasure.deleteSynchronizations(of: moves.followed(owners), on: connection)
            }
        }
        // Also when no row was left.
        try change(.exclusive) { connection throws(SQLError) in
            try erasure.deleteOwnSynchronizations(on: connection)
        }
    }

    /// Deletes notifications without a known subscription that have texts of an erased subscriber, before the nested
    /// rows through which some are found. Each gets a tombstone of its own: no column of it would keep it out.
    func eraseUnassigned(
        _ report: inout ErasureReport, _ places: ([SQLRow]) throws(NotificationStoreError) -> [Int]
    ) throws(NotificationStoreError) {
        var after: Int64 = 0
        let time = timing.now()
        while true {
            let rows = try perform { connection throws(SQLError) in
                try connection.query(Erasure.unassigned, [.integer(after), .integer(100)])
            }
            guard let last = rows.last else { return }
            after = try SQLError.mapped(to: NotificationStoreError.database, try last.integer(0))
            for place in try places(rows) {
                report.notificationCount += try change(.exclusive) { connection throws(SQLError) in
                    let uuid = try rows[place].text(1)
                    try Tombstones.add([.notification(uuid: uuid)], at: time, on: connection)
                    return try connection.run(
                        "DELETE FROM notifications WHERE id = ?", [rows[place].values[0]])
                }
            }
        }
    }

    /// Runs `step` for all rows, 128 in a transaction, so that it keeps others from writing for at most about 50 ms.
    func inShortTransactions<Row>(
        _ rows: [Row], _ step: (ArraySlice<Row>, any SQLConnection) throws(SQLError) -> Void
    ) throws(NotificationStoreError) {
        var rest = rows[...]
        while !rest.isEmpty {
            let some = rest.prefix(128)
            try change(.exclusive) { connection throws(SQLError) in try step(some, connection) }
            rest = rest.dropFirst(some.count)
            // Others that wait for the lock get it in between: they look for it each millisecond.
            timing.sleep(2)
        }
    }
}

struct Erasure {
    let subject: ErasureSubject
    /// The time of the erasure, milliseconds since 1970. What happened later in a subscription that goes on under another
    /// identifier stays (``TombstoneSubject/predecessor(_:at:)``).
    var erasedAt = Int64.max
    /// A download of the app whose rows are left for later; nil: none.
    var keptDownload: String?

    static let unassigned: SQLText = """
        SELECT n.id, n.uuid, n.payload, n.raw, n.signed_at, t.original_transaction_id, r.original_transaction_id,
            t.previous_original_transaction_id, t.app_transaction_id, r.app_transaction_id, a.app_transaction_id
        FROM notifications AS n LEFT JOIN transactions AS t ON t.digest = n.transaction_digest
        LEFT JOIN renewals AS r ON r.digest = n.renewal_digest
        LEFT JOIN app_transactions AS a ON a.digest = n.app_transaction_digest
        WHERE n.original_transaction_id IS NULL AND n.id > ? ORDER BY n.id LIMIT ?
        """

    static func subscriptions(ofDownload id: String, on connection: any SQLConnection) throws(SQLError)
        -> Set<String>
    {
        var found: Set<String> = []
        for table in [StoreTable.transactions, .renewals, .notifications] {
            let text: SQLText =
                "SELECT DISTINCT original_transaction_id FROM " + table.name
                + " WHERE app_transaction_id = ? AND original_transaction_id IS NOT NULL"
            for row in try connection.query(text, [.text(id)]) { found.insert(try row.text(0)) }
        }
        return found
    }

    func subscriptions(on connection: any SQLConnection) throws(SQLError) -> Set<String> {
        switch subject {
        case .originalTransaction(let id): [id]
        case .appTransaction(let id): try Self.subscriptions(ofDownload: id, on: connection)
        }
    }

    func delete(
        _ numbers: ArraySlice<Int64>, from table: StoreTable, _ report: inout ErasureReport,
        on connection: any SQLConnection
    ) throws(SQLError) -> Set<StoredSubscription> {
        var changed: Set<StoredSubscription> = []
        var found: [[SQLValue]] = []
        let search = Self.search(table)
        for values in Self.numbers.pages(of: numbers.map { .integer($0) }) {
            for row in try connection.query(search, values) {
                try add(row, &report, &changed)
                found.append([row.values[0]])
            }
        }
        let deletion: SQLText = "DELETE FROM " + table.name + " WHERE id = ?"
        let count = try connection.run(deletion, forEach: found).reduce(0, +)
        switch table {
        case .notifications: report.notificationCount += count
        case .transactions: report.transactionCount += count
        case .renewals: report.renewalCount += count
        case .appTransactions: report.appTransactionCount += count
        }
        return changed
    }

    private static let numbers = SQLList(count: 64)

    static func search(_ table: StoreTable) -> SQLText {
        let others: SQLText =
            switch table {
            case .transactions: ", original_transaction_id, previous_original_transaction_id"
            case .notifications, .renewals: ", original_transaction_id"
            case .appTransactions: ""
            }
        return "SELECT id, app_transaction_id" + others + ", app, environment FROM " + table.name
            + " WHERE id IN " + numbers.text
    }

    /// In the row of a nested JWS, or as a value in its payload or in the payload of a nested JWS.
    func isMentioned(in row: SQLRow) -> Bool {
        let places =
            switch subject {
            case .originalTransaction: 5...7
            case .appTransaction: 8...10
            }
        if row.values[places].contains(.text(subject.id)) { return true }
        let identifier = Array(subject.id.utf8)
        return Self.texts(of: row).contains { PayloadText.hasValue($0, identifier) }
    }

    /// Everything whose tombstone keeps a notification without a known subscription out, as when it is stored.
    static func subjects(ofUnassigned row: SQLRow) throws(SQLError) -> [TombstoneSubject] {
        let time = try row.optionalInteger(4) ?? .min
        var subjects = PayloadText.subjects(in: texts(of: row), at: time)
        for place in 5...6 {
            if let id = try row.optionalText(place) { subjects.insert(.originalTransaction(id)) }
        }
        if let id = try row.optionalText(7) { subjects.insert(.predecessor(id, at: time)) }
        for place in 8...10 {
            if let id = try row.optionalText(place) { subjects.insert(.appTransaction(id)) }
        }
        return Array(subjects) + [.notification(uuid: try row.text(1))]
    }

    private static func texts(of row: SQLRow) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        if case .bytes(let payload) = row.values[2] { texts.append(payload) }
        if case .bytes(let raw) = row.values[3] {
            texts.append(raw)
            texts += PayloadText.decodedParts(of: raw)
        }
        return texts.flatMap { [$0] + PayloadText.decodedParts(of: $0) }
    }

    private func add(_ row: SQLRow, _ report: inout ErasureReport, _ changed: inout Set<StoredSubscription>)
        throws(SQLError)
    {
        let end = row.values.count - 2
        if let customer = try row.optionalText(1) { report.linkedAppTransactionIDs.insert(customer) }
        if end > 2, let id = try row.optionalText(2) {
            changed.insert(
                StoredSubscription(app: try row.text(end), environment: try row.text(end + 1), id: id))
        }
        for column in 2..<end {
            if let other = try row.optionalText(column) { report.linkedOriginalTransactionIDs.insert(other) }
        }
        switch subject {
        case .originalTransaction(let id): report.linkedOriginalTransactionIDs.remove(id)
        case .appTransaction(let id): report.linkedAppTransactionIDs.remove(id)
        }
    }
}

package enum ErasureSubject: Sendable, Hashable {
    case originalTransaction(String)
    case appTransaction(String)

    var id: String {
        switch self {
        case .originalTransaction(let id), .appTransaction(let id): id
        }
    }

    var tombstone: TombstoneSubject {
        switch self {
        case .originalTransaction(let id): .originalTransaction(id)
        case .appTransaction(let id): .appTransaction(id)
        }
    }
}

package struct ErasureReport: Sendable, Hashable {
    package var notificationCount = 0
    package var transactionCount = 0
    package var renewalCount = 0
    package var appTransactionCount = 0
    package var decisionCount = 0
    package var erasedOriginalTransactionIDs: Set<String> = []
    /// Other original transaction identifiers in the deleted rows. They are not erased.
    package var linkedOriginalTransactionIDs: Set<String> = []
    /// Identifiers of downloads in the deleted rows. They are not erased, because other subscriptions may share them.
    package var linkedAppTransactionIDs: Set<String> = []

    package var rowCount: Int {
        notificationCount + transactionCount + renewalCount + appTransactionCount + decisionCount
    }
}

struct StoredSubscription: Hashable {
    let app: String
    let environment: String
    let id: String
}

extension Erasure {
    static func deleteSynchronizations(
        of subscriptions: Set<StoredSubscription>, on connection: any SQLConnection
    ) throws(SQLError) {
        let rows = subscriptions.map { [SQLValue.text($0.app), .text($0.environment), .text($0.id)] }
        try connection.run(NotificationStore.removeSynchronization, forEach: rows)
    }

    func deleteOwnSynchronizations(on connection: any SQLConnection) throws(SQLError) {
        guard case .originalTransaction(let own) = subject else { return }
        // Each step goes to the next app and environment in the index.
        var last: [SQLValue] = [.text(""), .text("")]
        while let next = try connection.query(Self.nextPair, last).first?.values {
            try connection.run(NotificationStore.removeSynchronization, next + [.text(own)])
            last = next
        }
    }

    static let nextPair: SQLText =
        "SELECT app, environment FROM synchronizations WHERE (app, environment) > (?, ?) ORDER BY app, environment LIMIT 1"
}

extension Erasure {
    func rows(_ moves: SubscriptionMoves, on connection: any SQLConnection) throws(SQLError) -> [StoreTable:
        [Int64]]
    {
        var found: [StoreTable: [Int64]] = [:]
        let kept: [SQLValue] = keptDownload.map { [.text($0)] } ?? []
        for table in StoreTable.allCases {
            guard let text = ownRows(table) else { continue }
            for row in try connection.query(text, [.text(subject.id)] + kept) {
                found[table, default: []].append(try row.integer(0))
            }
        }
        if case .originalTransaction(let id) = subject {
            try addMoved(from: id, moves, &found, on: connection)
        }
        return found.mapValues { $0.sorted() }
    }

    func ownRows(_ table: StoreTable) -> SQLText? {
        let column: SQLText
        switch (subject, table) {
        case (.originalTransaction, .appTransactions): return nil
        case (.originalTransaction, _): column = "original_transaction_id"
        case (.appTransaction, _): column = "app_transaction_id"
        }
        let kept: SQLText =
            keptDownload == nil ? "" : " AND (app_transaction_id IS NULL OR app_transaction_id <> ?)"
        return "SELECT id FROM " + table.name + " WHERE " + column + " = ?" + kept
    }

    /// What Apple signed after the erasure stays.
    private func addMoved(
        from id: String, _ moves: SubscriptionMoves, _ found: inout [StoreTable: [Int64]],
        on connection: any SQLConnection
    ) throws(SQLError) {
        var withNotification: Set<Int64> = []
        for successor in moves.next[id] ?? [] {
            let values: [SQLValue] = [.text(id), .text(successor), .text(id)]
            for row in try connection.query(Self.movedNotifications, values) {
                let (number, download) = (try row.integer(0), try row.optionalText(2))
                let (time, ownRenewal) = (try row.optionalInteger(1), try row.optionalInteger(4))
                if !isKept(download), ownRenewal != nil || isKeptOut(id, at: time ?? .min) {
                    found[.notifications, default: []].append(number)
                } else {
                    withNotification.insert(try row.integer(3))
                }
            }
        }
        for row in try connection.query(Self.movedTransactions, [.text(id)]) {
            let (number, download) = (try row.integer(0), try row.optionalText(1))
            guard !withNotification.contains(number), !isKept(download) else { continue }
            let time = TransactionColumns.happenedAt(
                StoreSource(rawValue: try row.text(2)) ?? .import, signedAt: try row.optionalInteger(3),
                purchasedAt: try row.optionalInteger(4))
            if isKeptOut(id, at: time) { found[.transactions, default: []].append(number) }
        }
    }

    private func isKeptOut(_ id: String, at time: Int64) -> Bool {
        TombstoneSubject.predecessor(id, at: time).isKeptOut(erasedAt: erasedAt)
    }

    private func isKept(_ download: String?) -> Bool { download != nil && download == keptDownload }

    /// The order of the tables keeps SQLite from going through all notifications for each transaction.
    static let movedNotifications: SQLText = """
        SELECT n.id, n.signed_at, n.app_transaction_id, t.id, r.id
        FROM notifications AS n CROSS JOIN transactions AS t
        LEFT JOIN renewals AS r ON r.digest = n.renewal_digest AND r.original_transaction_id = ?
        WHERE n.original_transaction_id = ? AND t.digest = n.transaction_digest
            AND t.previous_original_transaction_id = ? AND t.original_transaction_id = n.original_transaction_id
        """

    static let movedTransactions: SQLText = """
        SELECT id, app_transaction_id, source, signed_at, purchased_at FROM transactions
        WHERE previous_original_transaction_id = ?
        """

    func isLater(_ row: SQLRow) -> Bool {
        guard case .integer(let time) = row.values[4], time > erasedAt else { return false }
        return (try? Self.subjects(ofUnassigned: row))?.contains(subject.tombstone) == false
    }
}

struct SubscriptionMoves {
    private(set) var next: [String: Set<String>] = [:]

    init(from ids: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        try add(from: ids, on: connection)
    }

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

    func ids(following owners: Set<StoredSubscription>) -> Set<String> {
        let ids = Set(owners.map(\.id))
        return ids.union(successors(of: ids))
    }

    func followed(_ owners: Set<StoredSubscription>) -> Set<StoredSubscription> {
        var all = owners
        for owner in owners {
            for id in successors(of: [owner.id]) {
                all.insert(StoredSubscription(app: owner.app, environment: owner.environment, id: id))
            }
        }
        return all
    }

    private static let longestChain = 16
    private static let listed = SQLList(count: 256)
    static let search: SQLText =
        "SELECT DISTINCT previous_original_transaction_id, original_transaction_id FROM transactions "
        + "WHERE previous_original_transaction_id IN " + listed.text
        + " AND previous_original_transaction_id IS NOT NULL AND original_transaction_id IS NOT NULL"
}
