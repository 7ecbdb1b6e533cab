internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import Vocabulary

/// Brings the tables of a store to the version of this release.
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
        let versions = try NotificationStoreError.mapped(
            to: { ToolFailure($0, file: address.description) },
            try NotificationStore.migrate(address, StoreSelection.options(.write))
        )
        guard output.json else {
            let isNew = versions.from < versions.to
            Console.print(
                isNew
                    ? "migrated from version \(versions.from) to \(versions.to)"
                    : "the tables have version \(versions.to), nothing was to be done"
            )
            return
        }
        Console.print(.object([("from", .integer(versions.from)), ("to", .integer(versions.to))]))
    }
}
