internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import SQL
internal import SubscriberHistory
internal import System

struct StoreErase: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Deletes every row of one subscriber, and keeps the subscriber out.",
        discussion: """
            Leaves a tombstone: a keyed hash of the identifier. What belongs to the subscriber is dropped when it comes \
            again, by a retry of Apple, from Apple's history, or by an import. Facts that need the erased history become \
            missing. A subscription that goes on under another identifier is named in the report and is not erased. An erasure \
            that was interrupted is finished by the same command.

            With --app-transaction-id, every subscription is erased whose rows name that download of the app, each as by its \
            own identifier. The report names them.

            Decisions that `report` has read from decision logs name the subscriber by a pseudonym, which only the key of the \
            logs gives: with --config its identifierKeyFile, or --identifier-key. The logs themselves keep the pseudonym.

            Deleted rows leave their bytes in free parts of a SQLite file and in its write-ahead log. --compact writes the \
            file anew. Nobody can write meanwhile, so the recorder answers 503, and Apple tries again. For PostgreSQL, run \
            VACUUM FULL on the tables. retention-store(5) says what else may hold the subscriber.

            Example:
              retentionctl store erase --compact \\
                --subscriber 2000000123456789 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(help: "Erase the subscription with this originalTransactionId.")
    var subscriber: String?

    @Option(help: "Erase this download of the app (appTransactionId), with every subscription in it.")
    var appTransactionId: String?

    @Option(help: "The service's identifierKeyFile, for the decisions.", completion: .file())
    var identifierKey: String?

    @Flag(help: "Write a SQLite file anew afterwards, so that no erased byte stays in it.")
    var compact = false

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (subscriber == nil) != (appTransactionId == nil) else {
            throw ValidationError("Give --subscriber or --app-transaction-id.")
        }
        guard !(subscriber ?? appTransactionId ?? "").isEmpty else {
            throw ValidationError("The identifier is empty.")
        }
    }

    func run() throws {
        let address = try selection.address()
        guard !compact || address.isFile else { throw NotificationStoreError.onlySQLite }
        let store = try StoreSelection.open(address, .write)
        try consent.ask("Erase the subscriber from \(address)")
        let subject =
            subscriber.map { ErasureSubject.originalTransaction($0) }
            ?? .appTransaction(appTransactionId ?? "")
        let pseudonyms = try pseudonyms()
        let report = try store.erase(subject, pseudonyms)
        if pseudonyms == nil, try store.hasDecisions() {
            let text = "decisions stay: the names of subscribers in them come from a key"
            Console.report(
                [
                    Finding(
                        code: "store.decisions-stay", severity: .warning, text,
                        hint: "erase again with --identifier-key")
                ], json: false)
        }
        if compact { try ToolError.about(address.description) { try store.compact() } }
        let ids = { (ids: Set<String>) in JSONNode.array(ids.sorted().map { .string($0) }) }
        let members: [(String, JSONNode)] = [
            ("notifications", .integer(Int64(report.notificationCount))),
            ("transactions", .integer(Int64(report.transactionCount))),
            ("renewals", .integer(Int64(report.renewalCount))),
            ("appTransactions", .integer(Int64(report.appTransactionCount))),
            ("decisions", pseudonyms == nil ? .null : JSONNode(report.decisionCount)),
            ("compacted", .boolean(compact)),
            ("erasedOriginalTransactionIds", ids(report.erasedOriginalTransactionIDs)),
            ("linkedOriginalTransactionIds", ids(report.linkedOriginalTransactionIDs)),
            ("linkedAppTransactionIds", ids(report.linkedAppTransactionIDs)),
        ]
        Report(members).print(json: output.json)
    }

    /// Nil when no key is named, and when the pool has made none.
    private func pseudonyms() throws -> SubscriberPseudonyms? {
        if let identifierKey { return try IdentifierKey.read(identifierKey).pseudonyms() }
        guard let configuration = try selection.configuration() else { return nil }
        let path = configuration.identifierKeyPath
        let isSet = configuration.identifierKeyFile != nil
        guard isSet || (try? FileStatus(path: path)) != nil else { return nil }
        return try IdentifierKey.read(path).pseudonyms()
    }
}

extension StoreAddress {
    var isFile: Bool {
        if case .sqlite = self { true } else { false }
    }
}

struct StorePrune: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes old notifications that no fact needs.",
        discussion: """
            Decisions on older requests, which `report` has read from decision logs, are deleted as well. Transactions and \
            renewal infos stay, because the history of a subscriber needs them. The types \
            \(Self.neededTypes.sorted().joined(separator: ", ")) stay, too: facts are derived from these notifications \
            themselves. So do a notification with a status that this program does not know, and one that `notifications forward` \
            has not passed on yet or has set aside; the command names the receiver that lacks the most. A receiver that never \
            got anything is known from --config alone. Without --days and --before, notifications.retentionDays of --config \
            says how old a notification must be; with 0 all stay.

            Example:
              retentionctl store prune --days 400 --confirm \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    static let neededTypes = HistoryFacts.neededTypes

    @Option(help: "Delete what was received more days ago, 1 to 36500.")
    var days: Int64?

    @Option(help: "Delete what was received before this time: RFC 3339, or milliseconds since 1970.")
    var before: TimeArgument?

    @Option(help: "Keep this type as well. May be repeated.")
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
            ("deleted", .integer(Int64(count))),
            ("decisions", JSONNode(try store.pruneDecisions(before: time))), ("before", .integer(time)),
            ("slowestReceiver", slowest.map { .string($0.name) } ?? .null),
            ("upTo", slowest.map { .integer($0.position) } ?? .null),
        ]
        Report(members).print(json: output.json)
    }

    /// Up to which number each receiver has the notifications: those of the configuration, and earlier ones.
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

    /// When the configuration keeps everything for ever, this is 1970.
    private func limit() throws -> Int64 {
        if let before { return before.milliseconds }
        let configured = try days ?? selection.configuration()?.notifications?.retentionDays ?? 0
        return configured == 0 ? 0 : Clock.wallMilliseconds() - configured * 86_400_000
    }
}
