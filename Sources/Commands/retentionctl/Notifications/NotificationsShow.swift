internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import System

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

    @Argument(help: ArgumentHelp("The notificationUUID, or the number in a list.", valueName: "uuid"))
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

/// What a JWS says, with the signed parts in it replaced by what they say.
enum DecodedPayload {
    static func node(_ jws: [UInt8]) -> JSONNode {
        guard let document = document(jws) else { return .string(String(decoding: jws, as: UTF8.self)) }
        return node(document.root, depth: 0)
    }

    private static let parts: Set = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    private static func node(_ value: JSONValue, depth: Int) -> JSONNode {
        guard value.kind == .object, depth < 2 else { return JSONNode(value) }
        return .object(
            value.members.map { name, member in
                guard parts.contains(name), let text = member.string else {
                    return (name, node(member, depth: depth + 1))
                }
                guard let part = document(Array(text.utf8)) else { return (name, .string(text)) }
                return (name, JSONNode(part.root))
            }
        )
    }

    static func document(_ jws: [UInt8]) -> JSONDocument? {
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let text = Base64URL.decode(Array(parts[1]).span) else { return nil }
        return try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 64))
    }
}
