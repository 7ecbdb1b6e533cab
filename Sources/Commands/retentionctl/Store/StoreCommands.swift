internal import ArgumentParser

/// Looks after the store of notifications.
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
            StoreCheck.self, StoreStats.self, StoreVerify.self, StoreBackup.self, StoreRestore.self,
            StoreExport.self,
            StoreImport.self, StoreErase.self, StorePrune.self, StoreMigrate.self,
        ]
    )
}
