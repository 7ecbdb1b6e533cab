internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import Vocabulary

/// Counts what a store has.
struct StoreStats: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Counts what the store has.",
        discussion: """
            Prints sizes, the rows of each kind, the ranges of time that `notifications recover` has finished, and the \
            places up to which other work has come. It names no subscriber.

            Example:
              retentionctl store stats --json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try selection.open(.read)
        let report = StoreStatsReport(
            address: store.address,
            size: try store.size(),
            statistics: try store.statistics(),
            coverage: try Self.coverage(store),
            cursors: try store.cursorNames().map { ($0, try store.cursor(named: $0)?.position ?? 0) }
        )
        if output.json { Console.print(report.json) } else { Console.print(lines: report.lines) }
    }

    private static func coverage(_ store: NotificationStore) throws -> [StoreStatsReport.Coverage] {
        try store.coveredApps().flatMap { place in
            try store.coverage(app: place.app, environment: place.environment).map {
                StoreStatsReport.Coverage(app: place.app, environment: place.environment, covered: $0)
            }
        }
    }
}

/// The counts of a store as text and as JSON.
struct StoreStatsReport {
    /// A range of time for which the store has everything.
    struct Coverage {
        let app: String
        let environment: String
        let covered: CoveredRange
    }

    let address: StoreAddress
    let size: StoreSize
    let statistics: StoreStatistics
    let coverage: [Coverage]
    let cursors: [(name: String, position: Int64)]

    private var kinds: [(kind: StoreStatistics.Kind, count: Int)] {
        statistics.notifications.map { (kind: $0.key, count: $0.value) }.sorted {
            ($0.kind.app, $0.kind.environment, $0.kind.type) < (
                $1.kind.app, $1.kind.environment, $1.kind.type
            )
        }
    }

    private var counts: [(name: String, title: String, count: Int)] {
        [
            ("notifications", "notifications", statistics.notificationCount),
            ("unfit", "  with a value that did not fit its column", statistics.unfitCount),
            ("faults", "  with a part that failed its check", statistics.faultCount),
            ("whole", "  kept whole", statistics.wholeCount),
            ("transactions", "transactions", statistics.transactionCount),
            ("renewals", "renewal infos", statistics.renewalCount),
            ("appTransactions", "app transactions", statistics.appTransactionCount),
            ("headers", "headers", statistics.headerCount),
            ("tombstones", "tombstones", statistics.tombstoneCount),
        ]
    }

    var lines: [String] {
        var lines = [
            "store \(address)",
            "  \(size.byteCount) bytes, of which \(size.freeByteCount) are free; log \(size.logByteCount) bytes",
        ]
        if let first = statistics.firstReceivedAt, let last = statistics.lastReceivedAt {
            lines.append("  received \(Self.time(first)) to \(Self.time(last))")
        }
        lines += counts.map { "\($0.title): \($0.count)" }
        for entry in kinds {
            let type = entry.kind.type.isEmpty ? "(none)" : entry.kind.type
            lines.append("\(entry.kind.app) \(entry.kind.environment) \(type): \(entry.count)")
        }
        for entry in coverage {
            let range = "\(Self.time(entry.covered.range.from)) to \(Self.time(entry.covered.range.to))"
            lines.append("covered \(entry.app) \(entry.environment): \(range)")
        }
        return lines + cursors.map { "cursor \($0.name): \($0.position)" }
    }

    var json: JSONNode {
        let ranges = coverage.map { entry in
            JSONNode.object([
                ("app", .string(entry.app)), ("environment", .string(entry.environment)),
                ("from", .integer(entry.covered.range.from)), ("to", .integer(entry.covered.range.to)),
                ("finishedAt", .integer(entry.covered.finishedAt)),
            ])
        }
        let kinds = kinds.map { entry in
            JSONNode.object([
                ("app", .string(entry.kind.app)), ("environment", .string(entry.kind.environment)),
                ("type", .string(entry.kind.type)), ("count", .integer(Int64(entry.count))),
            ])
        }
        return .object(
            [
                ("store", .string(address.description)), ("bytes", .integer(size.byteCount)),
                ("freeBytes", .integer(size.freeByteCount)), ("logBytes", .integer(size.logByteCount)),
                ("firstReceivedAt", statistics.firstReceivedAt.map { .integer($0) } ?? .null),
                ("lastReceivedAt", statistics.lastReceivedAt.map { .integer($0) } ?? .null),
            ] + counts.map { ($0.name, .integer(Int64($0.count))) } + [
                ("kinds", .array(kinds)), ("coverage", .array(ranges)),
                (
                    "cursors",
                    .array(
                        cursors.map {
                            .object([("name", .string($0.name)), ("position", .integer($0.position))])
                        }
                    )
                ),
            ]
        )
    }

    private static func time(_ milliseconds: Int64) -> String {
        CivilTime(milliseconds: milliseconds).description
    }
}
