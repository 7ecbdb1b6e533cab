internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import SQL

/// Prints the newest notifications, and those that come.
struct NotificationsTail: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Prints the newest stored notifications, and with --follow those that come.",
        discussion: """
            Lines are those of `notifications list`, in the order of storing. With --json each line is a JSON object. With \
            --follow the command waits while the store is busy or out of reach, and then goes on where it was.

            Example:
              retentionctl notifications tail --follow \\
                --type DID_CHANGE_RENEWAL_STATUS \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var wanted: NotificationSelection

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("How many to begin with, 0 to 1000.", valueName: "number")
    )
    var number = 10

    @Flag(name: .shortAndLong, help: "Go on until the command is stopped.")
    var follow = false

    @Flag(help: "Show the identifiers of subscribers.")
    var identifiers = false

    @OptionGroup var selection: StoreSelection

    @Flag(help: "Print each notification as one JSON object on a line.")
    var json = false

    func validate() throws {
        guard (0...1000).contains(number) else { throw ValidationError("--number must be 0 to 1000.") }
    }

    func run() throws {
        let store = try selection.open(.read)
        // What is stored from here on comes afterwards.
        var place = try patiently { () throws(NotificationStoreError) in try store.settledNotificationID() }
        try begin(store, upTo: place)
        while follow {
            StoreTiming.system.sleep(Self.intervalMilliseconds)
            let end = try patiently { () throws(NotificationStoreError) in try store.settledNotificationID() }
            while place < end {
                let page = try patiently { () throws(NotificationStoreError) in
                    try store.notifications(wanted.filter, StorePage(after: place))
                }
                for row in page.rows where row.id <= end { show(row) }
                guard let next = page.next, next < end else { break }
                place = next
            }
            place = max(place, end)
        }
    }

    private static let intervalMilliseconds: Int64 = 500

    /// Reads from the store. With --follow, a failure that may pass is noted once and waited for.
    private func patiently<Value>(
        _ body: () throws(NotificationStoreError) -> Value
    ) throws(NotificationStoreError) -> Value {
        var hasNoted = false
        while true {
            do throws(NotificationStoreError) {
                return try body()
            } catch {
                guard follow, error.retry != .never else { throw error }
                if !hasNoted { Console.note("store: \(error.code), waiting") }
                hasNoted = true
                StoreTiming.system.sleep(Self.intervalMilliseconds)
            }
        }
    }

    /// Prints the newest notifications, the oldest of them first.
    private func begin(_ store: NotificationStore, upTo end: Int64) throws {
        var rows: [NotificationRow] = []
        var after: Int64? = end + 1
        while rows.count < number, let place = after {
            let page = StorePage(.descending, after: place, count: number - rows.count)
            let found = try patiently { () throws(NotificationStoreError) in
                try store.notifications(wanted.filter, page)
            }
            rows += found.rows
            after = found.next
        }
        for row in rows.reversed() { show(row) }
    }

    private func show(_ row: NotificationRow) {
        let line = NotificationLine(row: row, showsIdentifiers: identifiers)
        if json { Console.print(.object(line.members)) } else { Console.print(line.text) }
    }
}
