public import Configuration
internal import System

/// Whether the daemon can write where it has to, checked before a start or a reload finds out that it cannot. Each
/// finding comes with the command that mends it.
public enum PlaceCheck {
    /// What stands in the way of what is made at the start, for whoever starts the daemon.
    public static func startProblems(_ configuration: Configuration) -> [String] {
        var found: [String] = []
        // The directory of the socket is made where it is missing.
        if let directory = parent(of: configuration.pidFile),
            directory != configuration.socketDirectory || isThere(directory)
        {
            found += problems(directory, for: "the pid file", configuration)
        }
        if let directory = parent(of: configuration.stateDirectory), !isThere(configuration.stateDirectory) {
            found += problems(directory, for: "the state directory", configuration)
        }
        return found
    }

    /// What stands in the way of verdicts and of the last good generation, for the pool's user: a pool that cannot
    /// write them serves, but `--reload` never hears of a verdict.
    public static func stateProblems(_ configuration: Configuration) -> [String] {
        let directory = configuration.stateDirectory
        let lastGood = "\(directory)/last-good"
        guard isThere(directory) else { return [] }
        let found = problems(directory, for: "verdicts", configuration)
        guard found.isEmpty, isThere(lastGood) else { return found }
        return problems(lastGood, for: "the last good generation", configuration)
    }

    private static func isThere(_ path: String) -> Bool { (try? FileStatus(path: path)) != nil }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
    }

    private static func problems(
        _ directory: String,
        for what: String,
        _ configuration: Configuration
    ) -> [String] {
        let user = Accounts.userName(Credentials.current.userID)
        let remedy = "install -d -o \(configuration.user ?? user) -m 0750 \(directory)"
        guard let status = try? FileStatus(path: directory) else {
            return ["\(directory) does not exist: \(remedy)"]
        }
        guard status.kind == .directory else { return ["\(directory) is not a directory"] }
        guard !Directory.isWritable(path: directory) else { return [] }
        return ["\(user) cannot write \(what) into \(directory): \(remedy)"]
    }
}
