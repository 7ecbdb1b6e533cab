internal import ArgumentParser
internal import JSON
internal import NotificationStore

/// Puts a backup in the place of a store.
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
              retentionctl store restore /backup/notifications.db \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: ArgumentHelp("The backup, as `store backup` makes it.", valueName: "file"))
    var file: String

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let address = try selection.address()
        try OutputPaths.check(writing: address.files, reading: [file])
        let done: StoreRestoration
        do throws(NotificationStoreError) {
            done = try NotificationStore.restore(address, from: file, StoreSelection.options(.write))
        } catch {
            throw ToolFailure(error, file: error == .inUse ? address.description : file)
        }
        guard output.json else {
            Console.print(
                lines: ["restored from \(file): \(done.byteCount) bytes"]
                    + done.aside.map { "set aside: \($0)" }
            )
            return
        }
        Console.print(
            .object([
                ("file", .string(file)), ("bytes", .integer(Int64(done.byteCount))),
                ("aside", .array(done.aside.map { .string($0) })),
            ])
        )
    }
}
