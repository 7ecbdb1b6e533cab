internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import SQL
internal import System
internal import Vocabulary

/// Deletes everything about one subscriber.
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
                --original-transaction-id 2000000123456789 \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(help: ArgumentHelp("Erase this subscription.", valueName: "id"))
    var originalTransactionId: String?

    @Option(
        help: ArgumentHelp(
            "Erase this download of the app (appTransactionId), with every subscription in it.",
            valueName: "id")
    )
    var appTransactionId: String?

    @Flag(help: "Write a SQLite file anew afterwards, so that no erased byte stays in it.")
    var compact = false

    @Flag(help: "Erase without asking.")
    var confirm = false

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (originalTransactionId == nil) != (appTransactionId == nil) else {
            throw ValidationError("Give --original-transaction-id or --app-transaction-id.")
        }
        guard !(originalTransactionId ?? appTransactionId ?? "").isEmpty else {
            throw ValidationError("The identifier is empty.")
        }
    }

    func run() throws {
        let address = try selection.address()
        guard !compact || address.isFile else { throw ToolFailure(NotificationStoreError.onlySQLite) }
        let store = try StoreSelection.open(address, .write)
        try askForConsent(address)
        let subject =
            originalTransactionId.map { ErasureSubject.originalTransaction($0) }
            ?? .appTransaction(appTransactionId ?? "")
        let report = try store.erase(subject)
        if compact { try Self.compact(store) }
        if output.json {
            Console.print(Self.json(report, isCompacted: compact))
        } else {
            Console.print(lines: Self.lines(report, isCompacted: compact))
        }
    }

    private func askForConsent(_ address: StoreAddress) throws {
        guard !confirm else { return }
        let question = "Erase the subscriber from \(address)"
        guard Console.canAsk else { throw ToolFailure(StoreToolError.notConfirmed(question)) }
        guard Console.asks("\(question)? [y/N] ") else { throw ToolFailure(StoreToolError.declined) }
    }

    /// How long a compaction waits for programs that read.
    private static let compactionSeconds: UInt64 = 60

    /// Compacts the file. A program that reads holds this up, so it is tried again for a while.
    private static func compact(_ store: NotificationStore) throws {
        let end = Clock.monotonicNanoseconds() + compactionSeconds * 1_000_000_000
        do throws(NotificationStoreError) {
            try store.compact {
                StoreTiming.system.sleep(200)
                return Clock.monotonicNanoseconds() < end
            }
        } catch {
            throw ToolFailure(error, file: store.address.description)
        }
    }

    private static func lines(_ report: ErasureReport, isCompacted: Bool) -> [String] {
        var lines = [
            "erased \(report.notificationCount) notifications, \(report.transactionCount) transactions, "
                + "\(report.renewalCount) renewal infos, \(report.appTransactionCount) app transactions",
            "a tombstone keeps the subscriber out",
        ]
        if !report.erasedOriginalTransactionIDs.isEmpty {
            let ids = report.erasedOriginalTransactionIDs.sorted().joined(separator: " ")
            lines.append("erased with the download of the app: subscriptions \(ids)")
        }
        if isCompacted { lines.append("the file was written anew") }
        if !report.linkedOriginalTransactionIDs.isEmpty {
            let ids = report.linkedOriginalTransactionIDs.sorted().joined(separator: " ")
            lines.append("not erased, named in the erased rows: subscriptions \(ids)")
        }
        if !report.linkedAppTransactionIDs.isEmpty {
            let ids = report.linkedAppTransactionIDs.sorted().joined(separator: " ")
            lines.append("not erased, named in the erased rows: downloads of the app \(ids)")
        }
        return lines
    }

    private static func json(_ report: ErasureReport, isCompacted: Bool) -> JSONNode {
        .object([
            ("notifications", .integer(Int64(report.notificationCount))),
            ("transactions", .integer(Int64(report.transactionCount))),
            ("renewals", .integer(Int64(report.renewalCount))),
            ("appTransactions", .integer(Int64(report.appTransactionCount))),
            ("compacted", .boolean(isCompacted)),
            (
                "erasedOriginalTransactionIds",
                .array(report.erasedOriginalTransactionIDs.sorted().map { .string($0) })
            ),
            (
                "linkedOriginalTransactionIds",
                .array(report.linkedOriginalTransactionIDs.sorted().map { .string($0) })
            ),
            (
                "linkedAppTransactionIds",
                .array(report.linkedAppTransactionIDs.sorted().map { .string($0) })
            ),
        ])
    }
}

extension StoreAddress {
    /// True for a file of SQLite.
    var isFile: Bool {
        if case .sqlite = self { true } else { false }
    }
}
