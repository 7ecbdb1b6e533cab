internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import NotificationStore
internal import System

struct StoreBackup: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a SQLite store to a new file while others write.",
        discussion: """
            The copy shows the store at one moment, and appears under its name when it is complete and on the disk. Do \
            not use **cp**: the newest notifications lie in the write-ahead log beside the file. For PostgreSQL use \
            pg_dump.

            A subscriber who is erased later stays in the copy.

            Example:
              retentionctl store backup /backup/notifications.db \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: "The file to make. It must not exist.")
    var file: String

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        try OutputPaths.check(writing: [file, "\(file).partial"], reading: try selection.inputs())
        let store = try selection.open(.read)
        try ToolError.about(file) {
            try store.backup(to: file) { Console.progress("\($0) of \($1) pages") }
        }
        Console.endProgress()
        let byteCount = try FileStatus(path: file).byteCount
        Report([("file", .string(file)), ("bytes", .integer(Int64(byteCount)))]).print(json: output.json)
    }
}

struct StoreRestore: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of a SQLite store.",
        discussion: """
            Stop the recorder and every other program that uses the store first: the command refuses while one has it \
            open. It copies the backup beside the store and checks the copy: that it is a store, of a version that this \
            release knows, without damage. Then it sets the old files aside under a name with the time, and puts the copy in \
            their place. Do not use **cp**: SQLite would move the log of the old file into the new one, and destroy it. For \
            PostgreSQL use pg_restore.

            What was stored after the backup is in the files set aside: `store import --from` takes it over from there, and \
            `notifications recover` asks Apple. A subscriber who was erased after the backup was made is back, so erase \
            the subscriber again.

            Example:
              retentionctl store restore /backup/notifications.db --confirm \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: "The backup, as `store backup` makes it.")
    var file: String

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let address = try selection.address()
        try OutputPaths.check(writing: address.files, reading: [file])
        try consent.ask("Put \(file) in the place of \(address)")
        let done: StoreRestoration
        do throws(NotificationStoreError) {
            done = try NotificationStore.restore(address, from: file, StoreSelection.options(.write))
        } catch {
            throw ToolError(error, file: error == .inUse ? address.description : file)
        }
        let members: [(String, JSONNode)] = [
            ("file", .string(file)), ("bytes", .integer(Int64(done.byteCount))),
            ("aside", .array(done.aside.map { .string($0) })),
        ]
        Report(members).print(json: output.json)
    }
}

struct StoreMigrate: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the tables of the store to the version of this release.",
        discussion: """
            No other command changes tables. The change is one transaction. Stop the programs of the older release first: they \
            may refuse the new tables (store.newer). Make a backup first.

            Example:
              retentionctl store migrate \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let address = try selection.address()
        let versions = try ToolError.about(address.description) {
            try NotificationStore.migrate(address, StoreSelection.options(.write))
        }
        Report([("from", .integer(versions.from)), ("to", .integer(versions.to))]).print(json: output.json)
    }
}
