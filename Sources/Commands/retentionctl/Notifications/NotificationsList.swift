internal import ArgumentParser
internal import JSON
internal import NotificationStore

/// Lists notifications of a store.
struct NotificationsList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists stored notifications, the newest first.",
        discussion: """
            A line has the number in the order of storing, the time of receipt, the app, the environment, the type, the \
            product and the notificationUUID, then what failed its check or did not fit. Identifiers of a subscriber are \
            shown with --identifiers alone. When there are more, the last line says how to go on.

            Example:
              retentionctl notifications list --type REFUND \\
                --from 2026-06-01T00:00:00Z \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var wanted: NotificationSelection

    @Option(help: ArgumentHelp("At most this many, 1 to 100000.", valueName: "number"))
    var limit = 100

    @Option(help: ArgumentHelp("Go on behind this number of an earlier list.", valueName: "number"))
    var after: Int64?

    @Flag(help: "The oldest first, in the order of storing.")
    var oldestFirst = false

    @Flag(help: "Show the identifiers of subscribers.")
    var identifiers = false

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    }

    func run() throws {
        let store = try selection.open(.read)
        var rows: [NotificationRow] = []
        var next = after
        repeat {
            let page = StorePage(
                oldestFirst ? .ascending : .descending, after: next,
                count: min(limit - rows.count, StorePage.greatestCount))
            let found = try store.notifications(wanted.filter, page)
            rows += found.rows
            next = found.next
        } while rows.count < limit && next != nil
        let lines = rows.map { NotificationLine(row: $0, showsIdentifiers: identifiers) }
        if output.json {
            Console.print(
                .object([
                    ("notifications", .array(lines.map { .object($0.members) })),
                    ("next", next.map { .integer($0) } ?? .null),
                ])
            )
        } else {
            Console.print(lines: lines.map(\.text))
            if let next { Console.note("more: --after \(next)") }
        }
    }
}
