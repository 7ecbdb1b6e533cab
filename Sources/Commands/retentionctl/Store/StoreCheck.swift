internal import ArgumentParser
internal import JSON
internal import NotificationStore

/// Lets the database look for damage.
struct StoreCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the database.",
        discussion: """
            Checks that the tables are those of this release, that every page can be read, and that rows and indexes \
            agree. On PostgreSQL it reads every row. On SQLite it is one long read, while the write-ahead log grows, so \
            check a large store when few notifications come. It verifies no signature; `store verify` does. Ends with 1 when it \
            finds damage.

            Example:
              retentionctl store check \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try selection.open(.read)
        let damages = try store.check()
        if output.json {
            Console.print(
                .object([
                    ("store", .string(store.address.description)), ("sound", .boolean(damages.isEmpty)),
                    ("damages", .array(damages.map { .string($0) })),
                ])
            )
        } else {
            Console.print(lines: damages.isEmpty ? ["sound: \(store.address)"] : damages)
        }
        if !damages.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
