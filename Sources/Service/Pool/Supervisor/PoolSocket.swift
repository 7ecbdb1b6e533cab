package import Configuration
package import System

package struct PoolSocket: ~Copyable {
    package let socket: ListeningSocket
    /// The path of the socket and the identity of the file that the pool made there; nil when the pool made no file
    /// that it may remove.
    private let file: (path: String, identity: FileIdentity)?

    package init(_ configuration: Configuration) throws(SupervisorError) {
        if case .systemd = configuration.listen {
            guard case .systemd(let count) = ListeningSocket.inheritance() else { throw .nothingInherited }
            guard count == 1 else { throw .severalInherited(count: count) }
        }
        let listen = configuration.listen.description
        var group: UInt32?
        if case .unix = configuration.listen { group = try Self.group(configuration) }
        self = try SystemCallError.mapped(
            to: { error in
                // The kernel lets a user give a file only to a group that the user is in.
                let isGroup = error.call == "chown"
                let what = isGroup ? "\(listen) for listenGroup \(configuration.listenGroup)" : listen
                return SupervisorError.unavailable(what: what, error)
            },
            try PoolSocket(opening: configuration, group: group)
        )
    }

    private init(opening configuration: Configuration, group: UInt32?) throws(SystemCallError) {
        let backlog = Int32(clamping: configuration.backlog)
        switch configuration.listen {
        case .unix(let path):
            let access = ListeningSocket.Access(mode: configuration.listenMode, groupID: group)
            let made = try ListeningSocket(unixPath: path, access: access, backlog: backlog)
            file = (path, try FileStatus(path: path).identity)
            socket = made
        case .internet(let host, let port):
            let made = try ListeningSocket(host: host, port: port, backlog: backlog)
            file = nil
            socket = made
        case .systemd:
            let number = ListeningSocket.firstSystemdDescriptor
            let inherited = FileDescriptor(takingOwnership: number)
            try inherited.setCloseOnExec(true)
            let made = try ListeningSocket(adopting: inherited)
            file = nil
            socket = made
        }
    }

    /// Returns true when the socket still has its file name, false when not, and nil when the pool made no file.
    borrowing func hasName() -> Bool? {
        guard let file else { return nil }
        guard let now = try? FileStatus(path: file.path, followingLinks: false) else { return false }
        return now.identity == file.identity
    }

    /// Removes the socket's file name, unless somebody else has put another file there.
    package borrowing func removeName() {
        guard let file, let now = try? FileStatus(path: file.path), now.identity == file.identity else {
            return
        }
        try? Directory.removeFile(path: file.path)
    }

    static func group(_ configuration: Configuration) throws(SupervisorError) -> UInt32 {
        let name = configuration.listenGroup
        guard let number = Accounts.groupID(named: name) else { throw .unknownGroup(name) }
        return number
    }

    /// Makes the directory of the socket with access for the pool and nginx's group only. Leaves an existing directory
    /// as it is.
    package static func makeDirectory(_ configuration: Configuration) throws(SupervisorError) {
        guard let directory = configuration.socketDirectory, (try? FileStatus(path: directory)) == nil else {
            return
        }
        let group = try Self.group(configuration)
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: directory, error) }
        try SystemCallError.mapped(to: failure, try Directory.make(path: directory, permissions: 0o750))
        let user = Credentials.current.userID
        try SystemCallError.mapped(
            to: failure, try Directory.give(path: directory, toUser: user, group: group))
    }
}

/// Tries what a start opens, and makes nothing.
package enum StartCheck {
    /// Throws the error with which a start by this user would be refused. The socket and the pid file are in use while the
    /// pool runs, and systemd makes their directory, so then they are not tried.
    package static func run(_ configuration: Configuration) throws(SupervisorError) {
        let state = configuration.stateDirectory
        let entry = isThere(state) ? "\(state)/current" : state
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
