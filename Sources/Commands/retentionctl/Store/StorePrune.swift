internal import ArgumentParser
internal import Configuration
internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import System
internal import Vocabulary

/// Deletes old notifications that no fact needs.
struct StorePrune: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes old notifications that no fact needs.",
        discussion: """
            Transactions and renewal infos stay, because the history of a subscriber needs them. The types \
            \(Self.neededTypes.sorted().joined(separator: ", ")) stay, too: facts are derived from these notifications \
            themselves. A notification that `notifications forward` has not passed on yet stays in any case. Without --days and \
            --before, notifications.retentionDays of --config says how old a notification must be; with 0 all stay.

            Example:
              retentionctl store prune --days 400 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    /// The types of notifications from which facts are derived, and not from the transactions in them.
    static let neededTypes = HistoryFacts.neededTypes

    @Option(help: ArgumentHelp("Delete what was received more days ago, 1 to 36500.", valueName: "number"))
    var days: Int64?

    @Option(
        help: ArgumentHelp(
            "Delete what was received before this time: RFC 3339, or milliseconds since 1970.",
            valueName: "time"
        )
    )
    var before: TimeArgument?

    @Option(help: ArgumentHelp("Keep this type as well. May be repeated.", valueName: "type"))
    var keepType: [String] = []

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard days == nil || before == nil, days != nil || before != nil || selection.config != nil else {
            throw ValidationError("Give --days, --before, or --config with notifications.retentionDays.")
        }
        guard (1...36_500).contains(days ?? 1) else { throw ValidationError("--days must be 1 to 36500.") }
    }

    func run() throws {
        let time = try limit()
        let store = try selection.open(.write)
        let forwarded = try store.cursorNames().filter { $0.hasPrefix(StoreCursor.forwardPrefix) }
            .map { try store.cursor(named: $0)?.position ?? 0 }.min()
        let count = try store.prune(
            receivedBefore: time,
            keepingTypes: Self.neededTypes.union(keepType),
            upTo: forwarded ?? .max
        )
        guard output.json else {
            Console.print("deleted \(count) notifications received before \(CivilTime(milliseconds: time))")
            return
        }
        Console.print(.object([("deleted", .integer(Int64(count))), ("before", .integer(time))]))
    }

    /// The time before which everything that nobody needs is deleted. When the configuration keeps everything for ever, this
    /// is 1970.
    private func limit() throws -> Int64 {
        if let before { return before.milliseconds }
        let configured = try days ?? selection.configuration()?.notifications?.retentionDays ?? 0
        return configured == 0 ? 0 : Clock.wallMilliseconds() - configured * 86_400_000
    }
}
