internal import Cryptography
internal import SignedPayloads
internal import SQL

package struct StoredJWS: Sendable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification
        case transaction
        case renewal
        case appTransaction

        var table: StoreTable {
            switch self {
            case .notification: .notifications
            case .transaction: .transactions
            case .renewal: .renewals
            case .appTransaction: .appTransactions
            }
        }
    }

    package let kind: Kind
    package let id: Int64
    package let app: String
    package let environment: String
    package let source: String
    package let receivedAt: Int64
    /// The JWS byte for byte as it was received; nil when its rows are damaged.
    package let jws: [UInt8]?
}

extension NotificationStore {
    /// In the order of storing. The JWS of a notification has no digest to be compared with: its signature tells
    /// whether it is intact.
    package func jws(_ kind: StoredJWS.Kind, after: Int64 = 0, count: Int = 100)
        throws(NotificationStoreError)
        -> StoreList<StoredJWS>
    {
        try perform { connection throws(SQLError) in
            let count = min(max(count, 1), StorePage.greatestCount)
            let reading = JWSReading(kind: kind)
            let rows = try connection.query(reading.text(), [.integer(after), .integer(Int64(count))])
            var found: [StoredJWS] = []
            for row in rows { found.append(try reading.rebuilt(row, headers: &headerTexts, on: connection)) }
            return StoreList(rows: found, next: rows.count == count ? found.last?.id : nil)
        }
    }

    package func notifications(for filter: ForwardFilter, after: Int64, upTo end: Int64, count: Int)
        throws(NotificationStoreError) -> [StoredJWS]
    {
        try perform { connection throws(SQLError) in
            let reading = JWSReading(kind: .notification)
            let condition = filter.condition
            let rows = try connection.query(
                reading.text(where: " AND n.id <= ?" + condition.text),
                [.integer(after), .integer(end)] + condition.values + [.integer(Int64(count))])
            var found: [StoredJWS] = []
            for row in rows { found.append(try reading.rebuilt(row, headers: &headerTexts, on: connection)) }
            return found
        }
    }

    package func jws(_ kind: StoredJWS.Kind, id: Int64) throws(NotificationStoreError) -> [UInt8]? {
        guard let found = try jws(kind, after: id - 1, count: 1).rows.first, found.id == id else {
            return nil
        }
        guard let jws = found.jws else { throw .incompleteRow }
        return jws
    }
}

struct JWSReading {
    let kind: StoredJWS.Kind

    private static let parts: [(table: StoreTable, alias: SQLText, digest: SQLText, offset: SQLText)] = [
        (.transactions, "t", "n.transaction_digest", "n.transaction_offset"),
        (.renewals, "r", "n.renewal_digest", "n.renewal_offset"),
        (.appTransactions, "a", "n.app_transaction_digest", "n.app_transaction_offset"),
    ]
    private static let form: [SQLText] = ["header_id", "signature", "payload", "raw"]

    func text(where condition: SQLText = "") -> SQLText {
        let isNotification = kind == .notification
        var columns: [SQLText] = ["n.id", "n.app", "n.environment", "n.source", "n.received_at"]
        columns.append(isNotification ? "CAST(NULL AS TEXT)" : "n.digest")
        columns += Self.form.map { "n." + $0 }
        var joins: SQLText = ""
        if isNotification {
            for part in Self.parts {
                columns += [part.offset] + Self.form.map { part.alias + "." + $0 }
                joins +=
                    " LEFT JOIN " + part.table.name + " AS " + part.alias + " ON " + part.alias + ".digest = "
                joins += part.digest
            }
        }
        return "SELECT " + .list(columns) + " FROM " + kind.table.name + " AS n" + joins
            + " WHERE n.id > ?" + condition + " ORDER BY n.id LIMIT ?"
    }

    func rebuilt(_ row: SQLRow, headers: inout [Int64: [UInt8]], on connection: any SQLConnection)
        throws(SQLError) -> StoredJWS
    {
        var nested: [NestedText] = []
        var isWhole = true
        if kind == .notification {
            for number in Self.parts.indices {
                let place = 10 + number * 5
                guard let offset = try row.optionalInteger(place) else { continue }
                guard let text = try assemble(row, place + 1, [], &headers, connection) else {
                    isWhole = false
                    continue
                }
                nested.append(NestedText(offset: Int(clamping: offset), text: text))
            }
        }
        var jws = isWhole ? try assemble(row, 6, nested, &headers, connection) : nil
        if let digest = try row.optionalBytes(5), let found = jws, SHA256.hash(found.span).bytes != digest {
            jws = nil
        }
        return StoredJWS(
            kind: kind, id: try row.integer(0), app: try row.text(1), environment: try row.text(2),
            source: try row.text(3), receivedAt: try row.integer(4), jws: jws)
    }

    private func assemble(
        _ row: SQLRow, _ place: Int, _ nested: [NestedText], _ headers: inout [Int64: [UInt8]],
        _ connection: any SQLConnection
    ) throws(SQLError) -> [UInt8]? {
        if let raw = try row.optionalBytes(place + 3) { return raw }
        guard let number = try row.optionalInteger(place), let signature = try row.optionalBytes(place + 1),
            let payload = try row.optionalBytes(place + 2)
        else { return nil }
        if headers[number] == nil {
            let found = try connection.query("SELECT header FROM headers WHERE id = ?", [.integer(number)])
            guard let header = try found.first?.bytes(0) else { return nil }
            if headers.count > 64 { headers = [:] }
            headers[number] = Base64URL.encode(header.span)
        }
        guard let headerText = headers[number] else { return nil }
        return ReceivedJWS(
            header: headerText, payload: NestedText.insert(nested, into: payload), signature: signature
        ).compact
    }
}
