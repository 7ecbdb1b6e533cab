internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
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
    @Option(
        help: ArgumentHelp(
            "The store: sqlite:/absolute/path or postgresql://…, without a password; that of --config if absent.",
            valueName: "url")
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "retentiond.json, for what the other options do not say: the store, the apps, the anchors, paths.",
            valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var config: String?

    func configuration() throws -> Configuration? {
        guard let config else { return nil }
        let bytes = try Input.read(config, limitBytes: ConfigurationLimits.fileBytes)
        return try ToolError.about(config) { try Configuration(parsing: bytes) }
    }

    /// Returns the address of the store: that of `--store`, else that of the configuration.
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
