public import Configuration
internal import System
internal import Vocabulary

/// Tries what a start opens, and makes nothing.
public enum StartCheck {
    /// Throws the error with which a start by this user would be refused. The socket and the pid file are in use while the
    /// pool runs, and systemd makes their directory, so then they are not tried.
    public static func run(_ configuration: Configuration) throws(SupervisorError) {
        let state = configuration.stateDirectory
        let entry = isThere(state) ? "\(state)/reload.json" : state
        try check(state) { () throws(SystemCallError) in try Directory.checkEntryCanBeMade(path: entry) }
        if case .unix = configuration.listen { _ = try PoolSocket.group(configuration) }
        guard configuration.listen != .systemd, (try? RunningSupervisor.find(configuration)) == nil else {
            return
        }
        try checkPidFile(configuration)
        try checkSocket(configuration)
    }

    private static func checkPidFile(_ configuration: Configuration) throws(SupervisorError) {
        let path = configuration.pidFile
        let directory = Directory.parent(of: path)
        guard isThere(directory) || directory != configuration.socketDirectory else { return }
        try check("the pid file \(path)") { () throws(SystemCallError) in
            try Directory.checkEntryCanBeMade(path: path)
            // The pid file is renamed into place, whoever owns an existing one. The lock file is opened.
            try LineOutput.check(appendingTo: PidFile.lockPath(of: path))
            guard (try? FileStatus(path: path, followingLinks: false))?.kind != .directory else {
                throw .found(.notRegularFile(path: path, kind: .directory))
            }
        }
    }

    private static func checkSocket(_ configuration: Configuration) throws(SupervisorError) {
        try check(configuration.listen.description) { () throws(SystemCallError) in
            switch configuration.listen {
            case .unix(let path):
                guard let directory = configuration.socketDirectory, !isThere(directory) else {
                    return try ListeningSocket.check(unixPath: path)
                }
                try Directory.checkEntryCanBeMade(path: directory)
            case .internet(let host, let port): try ListeningSocket.check(host: host, port: port)
            case .systemd: return
            }
        }
    }

    private static func isThere(_ path: String) -> Bool { (try? FileStatus(path: path)) != nil }

    private static func check(_ what: String, _ body: () throws(SystemCallError) -> Void)
        throws(SupervisorError)
    {
        try SystemCallError.mapped(to: { SupervisorError.unavailable(what: what, $0) }, try body())
    }
}
