internal import JSON
internal import NotificationStore
internal import Vocabulary

/// One notification of a list, as a line and as JSON.
struct NotificationLine {
    let row: NotificationRow
    /// True to show the identifiers of the subscriber.
    let showsIdentifiers: Bool

    /// One line for a person.
    var text: String {
        let columns = row.columns
        let kind = [columns.type ?? "(no type)", columns.subtype].compactMap(\.self).joined(separator: " ")
        var words = [
            String(row.id), CivilTime(milliseconds: row.receivedAt).description, row.app, row.environment,
            kind,
        ]
        if let product = columns.productID { words.append(product) }
        words.append(row.uuid)
        if row.source != StoreSource.push.rawValue { words.append("source=\(row.source)") }
        for (part, code) in row.faults.sorted(by: { $0.key < $1.key }) { words.append("\(part)=\(code)") }
        if !row.unfit.isEmpty { words.append("unfit=\(row.unfit.sorted().joined(separator: ","))") }
        guard showsIdentifiers else { return words.joined(separator: " ") }
        for (name, value) in identifiers { if let value { words.append("\(name)=\(value)") } }
        return words.joined(separator: " ")
    }

    /// The members of a JSON object.
    var members: [(String, JSONNode)] {
        let columns = row.columns
        let texts: [(String, String?)] = [
            ("app", row.app), ("environment", row.environment), ("notificationUUID", row.uuid),
            ("source", row.source), ("notificationType", columns.type), ("subtype", columns.subtype),
            ("version", columns.version), ("object", columns.object), ("productId", columns.productID),
            ("bundleVersion", columns.bundleVersion),
            ("consumptionRequestReason", columns.consumptionRequestReason),
        ]
        let numbers: [(String, Int64?)] = [
            ("receivedAt", row.receivedAt), ("signedDate", columns.signedAt),
            ("appAppleId", columns.appAppleID),
            ("status", columns.status),
        ]
        var members: [(String, JSONNode)] = [("id", .integer(row.id))]
        members += texts.compactMap { name, value in value.map { (name, .string($0)) } }
        members += numbers.compactMap { name, value in value.map { (name, .integer($0)) } }
        if !row.faults.isEmpty {
            let faults = row.faults.sorted { $0.key < $1.key }
            members.append(("faults", .object(faults.map { ($0.key, .string($0.value)) })))
        }
        if !row.unfit.isEmpty { members.append(("unfit", .array(row.unfit.sorted().map { .string($0) }))) }
        guard showsIdentifiers else { return members }
        return members + identifiers.compactMap { name, value in value.map { (name, .string($0)) } }
    }

    private var identifiers: [(String, String?)] {
        [
            ("originalTransactionId", row.columns.originalTransactionID),
            ("transactionId", row.columns.transactionID), ("appTransactionId", row.columns.appTransactionID),
        ]
    }
}
