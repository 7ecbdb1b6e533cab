internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import NotificationStore
internal import SQL
internal import System

struct NotificationsList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists stored notifications, the newest first, and with --follow those that come.",
        discussion: """
            A line has the number in the order of storing, the time of receipt, the app, the environment, the type, the \
            product and the notificationUUID, then what failed its check or did not fit. Identifiers of a subscriber are \
            shown with --identifiers alone. When there are more, the last line says how to go on.

            With --follow the newest come in the order of storing, and then those that come, until the command is stopped; \
            with --json each is a JSON object on a line. The command waits while the store is busy or out of reach, and then \
            goes on where it was.

            Examples:
              retentionctl notifications list --type REFUND \\
                --from 2026-06-01T00:00:00Z \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
              retentionctl notifications list --follow --limit 10 \\
                --type DID_CHANGE_RENEWAL_STATUS \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var wanted: NotificationSelection

    @Option(help: "At most this many, 1 to 100000.")
    var limit = 100

    @Option(help: "Go on behind this number of an earlier list.")
    var after: Int64?

    @Flag(help: "The oldest first, in the order of storing.")
    var oldestFirst = false

    @Flag(name: .shortAndLong, help: "Go on with those that come until the command is stopped.")
    var follow = false

    @Flag(help: "Show the identifiers of subscribers.")
    var identifiers = false

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
        guard !follow || (after == nil && !oldestFirst) else {
            throw ValidationError("--after and --oldest-first do not go with --follow.")
        }
    }

    func run() throws {
        let store = try selection.open(.read)
        if follow { return try follow(store) }
        let found = try rows(store, oldestFirst ? .ascending : .descending, after: after)
        let lines = found.rows.map { NotificationLine(row: $0, showsIdentifiers: identifiers) }
        let document = JSONNode.object([
            ("notifications", .array(lines.map { .object($0.members) })),
            ("next", found.next.map { .integer($0) } ?? .null),
        ])
        output.print(json: document, lines: lines.map(\.text))
        if let next = found.next, !output.json { Console.log("more: --after \(next)") }
    }

    private func rows(
        _ store: NotificationStore, _ order: StorePage.Order, after: Int64?
    ) throws -> (rows: [NotificationRow], next: Int64?) {
        var rows: [NotificationRow] = []
        var next = after
        repeat {
            let count = min(limit - rows.count, StorePage.greatestCount)
            let found = try patiently {
                try store.notifications(wanted.filter, StorePage(order, after: next, count: count))
            }
            rows += found.rows
            next = found.next
        } while rows.count < limit && next != nil
        return (rows, next)
    }

    private func follow(_ store: NotificationStore) throws {
        // What is stored from here on comes afterwards.
        var place = try patiently { try store.settledNotificationID() }
        for row in try rows(store, .descending, after: place + 1).rows.reversed() { show(row) }
        while true {
            StoreTiming.system.sleep(Self.intervalMilliseconds)
            let end = try patiently { try store.settledNotificationID() }
            while place < end {
                let page = try patiently { try store.notifications(wanted.filter, StorePage(after: place)) }
                for row in page.rows where row.id <= end { show(row) }
                guard let next = page.next, next < end else { break }
                place = next
            }
            place = max(place, end)
        }
    }

    private static let intervalMilliseconds: Int64 = 500

    /// Reads from the store. With --follow, a failure that may pass is reported once and waited for.
    private func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        var isReported = false
        while true {
            do {
                return try body()
            } catch let error as NotificationStoreError where follow && error.retry != .never {
                if !isReported { Console.log("store: \(error.code), waiting") }
                isReported = true
                StoreTiming.system.sleep(Self.intervalMilliseconds)
            }
        }
    }

    private func show(_ row: NotificationRow) {
        let line = NotificationLine(row: row, showsIdentifiers: identifiers)
        output.print(json: .object(line.members), lines: [line.text])
    }
}

struct NotificationLine {
    let row: NotificationRow
    let showsIdentifiers: Bool

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

struct NotificationSelection: ParsableArguments {
    @Option(help: "Only the app with this bundle ID.")
    var bundleId: String?

    @Option(help: "Only this environment.")
    var environment: String?

    @Option(help: "Only this notificationType.")
    var type: String?

    @Option(help: "Only this subtype.")
    var subtype: String?

    @Option(help: "Only this product.")
    var product: String?

    @Option(help: "Only the subscription with this originalTransactionId.")
    var subscriber: String?

    @Option(help: "Only what came this way: push, history or import.", transform: Self.source)
    var source: StoreSource?

    @Option(help: "Only what was received at this time or later: RFC 3339, or milliseconds since 1970.")
    var from: TimeArgument?

    @Option(help: "Only what was received before this time.")
    var to: TimeArgument?

    var filter: NotificationFilter {
        var filter = NotificationFilter()
        filter.app = bundleId
        filter.environment = environment
        filter.type = type
        filter.subtype = subtype
        filter.productID = product
        filter.originalTransactionID = subscriber
        filter.source = source
        filter.receivedFrom = from?.milliseconds
        filter.receivedTo = to?.milliseconds
        return filter
    }

    private static func source(_ word: String) throws -> StoreSource {
        guard let source = StoreSource(rawValue: word), source != .api else {
            throw ValidationError("--source must be push, history or import.")
        }
        return source
    }
}

struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Works with App Store Server Notifications.",
        subcommands: [
            NotificationsList.self, NotificationsShow.self, NotificationsRecover.self,
            NotificationsForward.self,
        ]
    )
}

struct NotificationsShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one stored notification with the payloads of its signed parts.",
        discussion: """
            The notification is named by its notificationUUID, or by its number in a list. In the payload, each signed \
            part is replaced by what it says. This shows the identifiers of the subscriber. Every part was verified when \
            it was stored; `store check --signatures` verifies again. Ends with 1 when there is no such notification.

            Example:
              retentionctl notifications show \\
                5f2a1c3e-0d4b-4c6f-9a7e-000000000001 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: "The notificationUUID, or the number in a list.")
    var name: String

    @Flag(help: "Print the request body as Apple sent it, and nothing else.")
    var body = false

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try selection.open(.read)
        let rows = try find(store)
        guard !rows.isEmpty else {
            throw ToolError(.no, code: "store.no-notification", "there is no such notification")
        }
        for row in rows {
            guard let jws = try store.jws(.notification, id: row.id) else { continue }
            if body {
                Console.print(bytes: ForwardReceiver.body(jws) + [UInt8(ascii: "\n")])
                continue
            }
            let members = NotificationLine(row: row, showsIdentifiers: true).members
            let document = JSONNode.object(members + [("payload", DecodedPayload.node(jws))])
            if output.json { Console.print(document) } else { Console.print(pretty: document) }
        }
    }

    /// The notifications with that name. A UUID may be that of several apps, which is one document each.
    private func find(_ store: NotificationStore) throws -> [NotificationRow] {
        if let id = Int64(name), id > 0 {
            let page = try store.notifications(NotificationFilter(), StorePage(after: id - 1, count: 1))
            return page.rows.filter { $0.id == id }
        }
        var filter = NotificationFilter()
        filter.uuid = name
        return try store.notifications(filter).rows
    }
}

/// A payload with what its signed parts say in their place.
private enum DecodedPayload {
    private static let parts: Set = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    static func node(_ jws: [UInt8], depth: Int = 0) -> JSONNode {
        guard let payload = UnverifiedJWS(jws).payload else {
            return .string(String(decoding: jws, as: UTF8.self))
        }
        return depth == 0 ? node(payload, depth) : JSONNode(payload)
    }

    private static func node(_ value: JSONValue, _ depth: Int) -> JSONNode {
        guard value.kind == .object, depth < 2 else { return JSONNode(value) }
        return .object(
            value.members.map { name, member in
                guard parts.contains(name), let text = member.string else {
                    return (name, node(member, depth + 1))
                }
                return (name, node(Array(text.utf8), depth: depth + 1))
            }
        )
    }
}
