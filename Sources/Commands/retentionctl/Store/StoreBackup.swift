internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import System

/// Copies a store while others write.
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

    @Argument(help: ArgumentHelp("The file to make. It must not exist.", valueName: "file"))
    var file: String

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        try OutputPaths.check(writing: [file, "\(file).partial"], reading: try selection.inputs())
        let store = try selection.open(.read)
        do throws(NotificationStoreError) {
            try store.backup(to: file) { progress in
                Console.progress("\(progress.doneCount) of \(progress.allCount) pages")
            }
        } catch {
            throw ToolFailure(error, file: file)
        }
        Console.endProgress()
        let byteCount = try FileStatus(path: file).byteCount
        guard output.json else {
            Console.print("copied to \(file): \(byteCount) bytes")
            return
        }
        Console.print(.object([("file", .string(file)), ("bytes", .integer(Int64(byteCount)))]))
    }
}
