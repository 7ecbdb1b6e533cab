internal import Configuration
internal import NotificationStore

/// The places besides the rows of a store that may hold an erased subscriber.
struct ErasureRemains {
    let address: StoreAddress
    /// True when the file of the store was written anew.
    let isCompacted: Bool
    /// nil: the command does not know the paths.
    let configuration: Configuration?

    /// One line for each place.
    var lines: [String] {
        [database].compactMap(\.self) + [
            "may hold the subscriber: facts files"
                + place(configuration.map { "\($0.dataDirectory)/*.facts" })
                + ", and the tables that they were made from; build them anew and push them",
            "may hold the subscriber: last good copies of facts files"
                + place(configuration?.stateDirectory)
                + "; the next reload with new facts replaces them",
            "may hold a pseudonym of the subscriber: decision records" + place(configuration?.log.decisions),
            "may hold the subscriber: exports and backups of the store, and receivers that notifications "
                + "were passed on to",
        ]
    }

    /// The line about the database itself; nil when nothing can be left in it.
    private var database: String? {
        switch address {
        case .sqlite(let path):
            isCompacted
                ? nil
                : "may hold the subscriber: free parts of \(path) and of its write-ahead log; --compact removes them"
        case .postgreSQL:
            "may hold the subscriber: dead rows of the tables until VACUUM FULL, the server's write-ahead log, "
                + "its archive, replicas and backups"
        }
    }

    private func place(_ path: String?) -> String { path.map { " (\($0))" } ?? "" }
}
