internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import NotificationStore
internal import System

struct StoreCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Looks after the store of notifications.",
        discussion: """
            The store is a file of SQLite or a database of PostgreSQL. Other programs may use it at the same time: these \
            commands read page by page, and change the store in transactions of at most about 50 ms. The password of a \
            PostgreSQL server belongs into a password file of libpq that the address names, never into the address.

            Example:
              retentionctl store stats \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
              retentionctl store backup /backup/notifications.db \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """,
        subcommands: [
            StoreStats.self, StoreCheck.self, StoreBackup.self, StoreRestore.self, StoreExport.self,
            StoreImport.self, StoreErase.self, StorePrune.self, StoreMigrate.self,
        ]
    )
}

struct StoreSelection: ParsableArguments {
    @Option(help: "sqlite:/absolute/path or postgresql://…, without a password; else that of --config.")
    var store: String?

    @Option(help: "retentiond.json, for what the other options do not say.", completion: .json)
    var config: String?

    func configuration() throws -> Configuration? {
        guard let config else { return nil }
        let bytes = try Input.read(config, limitBytes: ConfigurationLimits.fileBytes)
        return try ToolError.about(config) { try Configuration(parsing: bytes) }
    }

    func address() throws -> StoreAddress {
        if let store { return try StoreAddress(store) }
        guard let store = try configuration()?.notifications?.store else {
            throw ToolError(
                .usage, code: "store.not-named",
                "no store is named; give --store, or --config with the object notifications")
        }
        return try StoreAddress(store)
    }

    /// The files that these options name, which no output may replace: the configuration, and the store with the files beside it.
    func inputs() throws -> [String] { [config].compactMap { $0 } + (try address()).files }

    func open(_ access: StoreOptions.Access) throws -> NotificationStore {
        try Self.open(try address(), access)
    }

    static func open(_ address: StoreAddress, _ access: StoreOptions.Access) throws -> NotificationStore {
        try ToolError.about(address.description) { try NotificationStore(address, options(access)) }
    }

    static func options(_ access: StoreOptions.Access) -> StoreOptions {
        var options = StoreOptions(access: access)
        options.program = ProductVersion.text
        options.hasLargeCache = true
        return options
    }
}

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
        let (size, statistics) = (try store.size(), try store.statistics())
        let counts = [
            ("notifications", statistics.notificationCount), ("unfit", statistics.unfitCount),
            ("faults", statistics.faultCount), ("whole", statistics.wholeCount),
            ("transactions", statistics.transactionCount), ("renewals", statistics.renewalCount),
            ("appTransactions", statistics.appTransactionCount), ("headers", statistics.headerCount),
            ("tombstones", statistics.tombstoneCount), ("decisions", try store.decisionCount()),
        ]
        let members: [(String, JSONNode)] =
            [
                ("store", .string(store.address.description)), ("bytes", .integer(size.byteCount)),
                ("freeBytes", .integer(size.freeByteCount)), ("logBytes", .integer(size.logByteCount)),
                ("firstReceivedAt", statistics.firstReceivedAt.map { .integer($0) } ?? .null),
                ("lastReceivedAt", statistics.lastReceivedAt.map { .integer($0) } ?? .null),
            ] + counts.map { ($0.0, .integer(Int64($0.1))) } + [
                ("kinds", .array(Self.kinds(statistics))), ("coverage", .array(try Self.coverage(store))),
                ("cursors", .array(try Self.cursors(store))),
            ]
        Report(members).print(json: output.json)
    }

    private static func kinds(_ statistics: StoreStatistics) -> [JSONNode] {
        let sorted = statistics.notifications.sorted {
            ($0.key.app, $0.key.environment, $0.key.type) < ($1.key.app, $1.key.environment, $1.key.type)
        }
        return sorted.map { kind, count in
            .object([
                ("app", .string(kind.app)), ("environment", .string(kind.environment)),
                ("type", .string(kind.type)), ("count", .integer(Int64(count))),
            ])
        }
    }

    private static func coverage(_ store: NotificationStore) throws -> [JSONNode] {
        try store.coveredApps().flatMap { place in
            try store.coverage(app: place.app, environment: place.environment).map { covered in
                .object([
                    ("app", .string(place.app)), ("environment", .string(place.environment)),
                    ("from", .integer(covered.range.from)), ("to", .integer(covered.range.to)),
                    ("finishedAt", .integer(covered.finishedAt)),
                ])
            }
        }
    }

    private static func cursors(_ store: NotificationStore) throws -> [JSONNode] {
        try store.cursorNames().map { name in
            .object([
                ("name", .string(name)), ("position", .integer(try store.cursor(named: name)?.position ?? 0)),
            ])
        }
    }
}
