internal import Cryptography
internal import SignedPayloads
internal import SQL

struct ItemPreparation {
    /// The longest JWS in bytes. The recorder accepts bodies of half of it.
    static let jwsByteCount = 1 << 20

    func prepare(_ item: StoreItem) throws(NotificationStoreError) -> PreparedItem {
        switch item.content {
        case .notification(let notification): try prepare(notification, item)
        case .transaction(let part, let app, let environment):
            try prepare(
                part, .transactions, item, (app, environment), part.columns.subjects(from: item.source))
        case .renewal(let part, let app, let environment):
            try prepare(part, .renewals, item, (app, environment), part.columns.subjects)
        case .appTransaction(let part, let app, let environment):
            try prepare(part, .appTransactions, item, (app, environment), part.columns.subjects)
        }
    }

    private func prepare<Columns: TableColumns>(
        _ part: StoredPart<Columns>, _ table: StoreTable, _ item: StoreItem,
        _ owner: (app: String, environment: String),
        _ subjects: @escaping @Sendable @autoclosure () -> [TombstoneSubject]
    ) throws(NotificationStoreError) -> PreparedItem {
        try check(part.received)
        let digest = SHA256.hash(part.jws.span)
        return PreparedItem(row: row(part, digest, table, item, owner), nested: [], subjects: subjects)
    }

    private func row<Columns: TableColumns>(
        _ part: StoredPart<Columns>, _ digest: SHA256Digest, _ table: StoreTable, _ item: StoreItem,
        _ owner: (app: String, environment: String)
    ) -> PreparedRow {
        var unfit = part.unfit.filter(ColumnText.fits)
        let leading: [SQLValue] = [
            .bytes(digest.bytes), key(owner.app, "app", &unfit),
            key(owner.environment, "environment", &unfit),
            .text(item.source.rawValue), .integer(item.receivedAt),
        ]
        var values = part.columns.values(after: leading, marking: &unfit)
        values.append(UnfitColumns.value(unfit))
        return PreparedRow(table, values: values, form: .of(part.received, without: []))
    }

    private func prepare(_ notification: StoredNotification, _ item: StoreItem) throws(NotificationStoreError)
        -> PreparedItem
    {
        try check(notification.received)
        var nested: [PreparedRow] = []
        var texts: [NestedText] = []
        let owner = (app: notification.identity.app, environment: notification.identity.environment)
        var references: [NestedReference] = []
        func add<Columns: TableColumns>(_ part: NestedPart<Columns>?, _ table: StoreTable)
            throws(NotificationStoreError)
        {
            switch part {
            case .sound(let part):
                try check(part.received)
                let text = part.text(inPayload: notification.received.payload)
                let digest = SHA256.hash(text.span)
                nested.append(row(part, digest, table, item, owner))
                let offset = part.place?.lowerBound
                references.append(.row(digest, offset: offset))
                if let offset { texts.append(NestedText(offset: offset, text: text)) }
            case .faulty(let code): references.append(.fault(code))
            case nil: references.append(.nothing)
            }
        }
        try add(notification.transaction, .transactions)
        try add(notification.renewal, .renewals)
        try add(notification.appTransaction, .appTransactions)
        let form = JWSForm.of(notification.received, without: texts)
        var unfit = notification.unfit.filter(ColumnText.fits)
        let leading: [SQLValue] = [
            key(owner.app, "app", &unfit), key(owner.environment, "environment", &unfit),
            key(notification.identity.uuid, "uuid", &unfit), .text(item.source.rawValue),
            .integer(item.receivedAt),
        ]
        let uuid = leading[2]
        let columns = notification.completedColumns
        var values = columns.values(after: leading, marking: &unfit)
        for reference in references { values += reference.values(in: form) }
        values.append(UnfitColumns.value(unfit))
        return PreparedItem(
            row: PreparedRow(.notifications, values: values, form: form), nested: nested,
            subjects: { notification.subjects(uuid) })
    }

    /// Returns a value for a column that is never NULL. The digest of a text that does not fit stands for the text.
    private func key(_ text: String, _ column: String, _ unfit: inout Set<String>) -> SQLValue {
        if ColumnText.fits(text) { return .text(text) }
        unfit.insert(column)
        return .text("sha256:" + SHA256.hash(text.utf8Span.span).hexadecimal)
    }

    private func check(_ jws: ReceivedJWS) throws(NotificationStoreError) {
        guard jws.byteCount <= Self.jwsByteCount else { throw .tooLarge(byteCount: jws.byteCount) }
    }
}

private enum NestedReference {
    case nothing
    case fault(String)
    /// The nested JWS has a row; its text was cut out of the payload at the offset.
    case row(SHA256Digest, offset: Int?)

    func values(in form: JWSForm) -> [SQLValue] {
        switch self {
        case .nothing: return [.null, .null, .null]
        case .fault(let code): return [.null, .null, .text(ColumnText.fits(code) ? code : "unknown")]
        case .row(let digest, let offset):
            // What is kept whole has no cuts.
            if case .whole = form { return [.bytes(digest.bytes), .null, .null] }
            return [.bytes(digest.bytes), SQLValue(offset.map(Int64.init)), .null]
        }
    }
}

struct PreparedRow: Sendable {
    let table: StoreTable
    let form: JWSForm
    private let values: [SQLValue]

    init(_ table: StoreTable, values: [SQLValue], form: JWSForm) {
        self.table = table
        self.form = form
        self.values = values
    }

    var headerText: [UInt8]? {
        if case .parts(let headerText, _, _) = form { headerText } else { nil }
    }

    var key: [SQLValue] { Array(values[..<table.keyCount]) }

    func values(headerNumber: Int64?) -> [SQLValue] {
        switch form {
        case .parts(_, let payload, let signature):
            values + [SQLValue(headerNumber), .bytes(signature), .bytes(payload), .null]
        case .whole(let jws): values + [.null, .null, .null, .bytes(jws)]
        }
    }
}

struct PreparedItem: Sendable {
    let row: PreparedRow
    let nested: [PreparedRow]
    /// Only a store that has tombstones calls this.
    let subjects: @Sendable () -> [TombstoneSubject]
}

/// A JWS in the form in which a row keeps it.
///
/// A JWS is long for two reasons: each has its certificates, which are nearly always the same, and base64url lengthens a
/// nested JWS twice. So a row keeps a reference to the header, and payload and signature as bytes. Texts of nested JWS are
/// cut out of the payload, because they have rows of their own.
enum JWSForm: Sendable, Hashable {
    /// The parts: the header as it was received (it has a row of its own), the decoded payload without the nested texts, and
    /// the decoded signature.
    case parts(headerText: [UInt8], payload: [UInt8], signature: [UInt8])
    /// The whole JWS as it was received, because it could not be rebuilt from parts.
    case whole([UInt8])

    /// Takes the texts of nested JWS that have rows of their own out of the payload, and checks that it can be rebuilt. base64url
    /// has one text for the same bytes, so the JWS can be rebuilt when its payload can be.
    static func of(_ jws: ReceivedJWS, without nested: [NestedText]) -> JWSForm {
        let short = NestedText.remove(nested, from: jws.payload)
        let rebuilt = NestedText.insert(nested, into: short)
        guard ByteComparison.areEqual(rebuilt.span, jws.payload.span) else { return .whole(jws.compact) }
        return .parts(headerText: jws.header, payload: short, signature: jws.signature)
    }
}

struct NestedText: Sendable, Hashable {
    let offset: Int
    let text: [UInt8]

    static func remove(_ texts: [NestedText], from payload: [UInt8]) -> [UInt8] {
        guard !texts.isEmpty else { return payload }
        var short: [UInt8] = []
        short.reserveCapacity(max(0, texts.reduce(payload.count) { $0 - $1.text.count }))
        var place = 0
        for nested in texts.sorted(by: { $0.offset < $1.offset }) where nested.offset >= place {
            short += payload[place..<nested.offset]
            place = nested.offset + nested.text.count
        }
        short += payload[place...]
        return short
    }

    static func insert(_ texts: [NestedText], into short: [UInt8]) -> [UInt8] {
        guard !texts.isEmpty else { return short }
        var payload: [UInt8] = []
        payload.reserveCapacity(texts.reduce(short.count) { $0 + $1.text.count })
        var place = 0
        for nested in texts.sorted(by: { $0.offset < $1.offset }) {
            // A damaged row may have any number, so nothing is added to it.
            let end = place + min(max(nested.offset, payload.count) - payload.count, short.count - place)
            payload += short[place..<end]
            payload += nested.text
            place = end
        }
        payload += short[place...]
        return payload
    }
}
