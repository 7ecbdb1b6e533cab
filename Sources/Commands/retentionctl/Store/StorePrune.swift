internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import System

struct StorePrune: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes old notifications that no fact needs.",
        discussion: """
            Transactions and renewal infos stay, because the history of a subscriber needs them. The types \
            \(Self.neededTypes.sorted().joined(separator: ", ")) stay, too: facts are derived from these notifications \
            themselves. So do a notification with a status that this program does not know, and one that `notifications forward` \
            has not passed on yet or has set aside; the command names the receiver that lacks the most. A receiver to which nothing was ever passed \
            on is known from --config alone. Without --days and --before, notifications.retentionDays of --config says how old a \
            notification must be; with 0 all stay.

            Example:
              retentionctl store prune --days 400 --confirm \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    static let neededTypes = HistoryFacts.neededTypes

    @Option(help: ArgumentHelp("Delete what was received more days ago, 1 to 36500.", valueName: "number"))
    var days: Int64?

    @Option(
        help: ArgumentHelp(
            "Delete what was received before this time: RFC 3339, or milliseconds since 1970.",
            valueName: "time")
    )
    var before: TimeArgument?

    @Option(help: ArgumentHelp("Keep this type as well. May be repeated.", valueName: "type"))
    var keepType: [String] = []

    @OptionGroup var consent: ConfirmOption
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
        try consent.ask(
            "Delete notifications received before \(CivilTime(milliseconds: time)) from \(store.address)")
        let slowest = try places(in: store).min { $0.position < $1.position }
        let count = try store.prune(
            receivedBefore: time, keepingTypes: Self.neededTypes.union(keepType),
            keepingStatusesBeside: HistoryFacts.knownStatuses, upTo: slowest?.position ?? .max)
        let members: [(String, JSONNode)] = [
            ("deleted", .integer(Int64(count))), ("before", .integer(time)),
            ("slowestReceiver", slowest.map { .string($0.name) } ?? .null),
            ("upTo", slowest.map { .integer($0.position) } ?? .null),
        ]
        Report(members).print(json: output.json)
    }

    /// The receivers, and up to which number each has the notifications: those that the configuration names, and those to
    /// which something was passed on before.
    private func places(in store: NotificationStore) throws -> [(name: String, position: Int64)] {
        var places: [String: Int64] = [:]
        for entry in try selection.configuration()?.notifications?.forward ?? [] {
            places[try ForwardReceiver(url: entry.url).name] = 0
        }
        for name in try store.cursorNames() where name.hasPrefix(StoreCursor.forwardPrefix) {
            let receiver = String(name.dropFirst(StoreCursor.forwardPrefix.count))
            places[receiver] = try store.cursor(named: name)?.position ?? 0
        }
        return places.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The time before which everything that nobody needs is deleted. When the configuration keeps everything for ever, this
    /// is 1970.
    private func limit() throws -> Int64 {
        if let before { return before.milliseconds }
        let configured = try days ?? selection.configuration()?.notifications?.retentionDays ?? 0
        return configured == 0 ? 0 : Clock.wallMilliseconds() - configured * 86_400_000
    }
}
