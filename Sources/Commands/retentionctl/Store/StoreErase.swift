internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import NotificationStore
internal import SQL
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

            Deleted rows leave their bytes in free parts of a SQLite file and in its write-ahead log. --compact writes the \
            file anew. Nobody can write meanwhile, so the recorder answers 503, and Apple tries again. For PostgreSQL, run \
            VACUUM FULL on the tables. retention-store(5) says what else may hold the subscriber.

            Example:
              retentionctl store erase --compact \\
                --subscriber 2000000123456789 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(help: ArgumentHelp("Erase the subscription with this originalTransactionId.", valueName: "id"))
    var subscriber: String?

    @Option(
        help: ArgumentHelp(
            "Erase this download of the app (appTransactionId), with every subscription in it.",
            valueName: "id")
    )
    var appTransactionId: String?

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
        let report = try store.erase(subject)
        if compact { try Self.compact(store) }
        let ids = { (ids: Set<String>) in JSONNode.array(ids.sorted().map { .string($0) }) }
        let members: [(String, JSONNode)] = [
            ("notifications", .integer(Int64(report.notificationCount))),
            ("transactions", .integer(Int64(report.transactionCount))),
            ("renewals", .integer(Int64(report.renewalCount))),
            ("appTransactions", .integer(Int64(report.appTransactionCount))),
            ("compacted", .boolean(compact)),
            ("erasedOriginalTransactionIds", ids(report.erasedOriginalTransactionIDs)),
            ("linkedOriginalTransactionIds", ids(report.linkedOriginalTransactionIDs)),
            ("linkedAppTransactionIds", ids(report.linkedAppTransactionIDs)),
        ]
        Report(members).print(json: output.json)
    }

    /// How long a compaction waits for programs that read.
    private static let compactionSeconds: UInt64 = 60

    /// Compacts the file. A program that reads holds this up, so it is tried again for a while.
    private static func compact(_ store: NotificationStore) throws {
        let end = Clock.monotonicNanoseconds() + compactionSeconds * 1_000_000_000
        try ToolError.about(store.address.description) {
            try store.compact {
                StoreTiming.system.sleep(200)
                return Clock.monotonicNanoseconds() < end
            }
        }
    }
}

extension StoreAddress {
    var isFile: Bool {
        if case .sqlite = self { true } else { false }
    }
}
