package import Configuration
package import System
internal import Vocabulary

/// The pool's listening socket and its file name.
package struct PoolSocket: ~Copyable {
    /// The listening socket.
    package let socket: ListeningSocket
    /// The path of the socket and the identity of the file that the pool made there; nil when the pool made no file
    /// that it may remove.
    private let file: (path: String, identity: FileIdentity)?

    /// Makes the socket that `listen` names, or takes it from systemd.
    package init(_ configuration: Configuration, _ accounts: PoolAccounts) throws(SupervisorError) {
        if case .systemd = configuration.listen {
            guard case .systemd(let count) = ListeningSocket.inheritance() else { throw .nothingInherited }
            guard count == 1 else { throw .severalInherited(count: count) }
        }
        self = try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: configuration.listen.description, $0) },
            try PoolSocket(opening: configuration, accounts)
        )
    }

    private init(opening configuration: Configuration, _ accounts: PoolAccounts) throws(SystemCallError) {
        let backlog = Int32(clamping: configuration.backlog)
        switch configuration.listen {
        case .unix(let path):
            let access = ListeningSocket.Access(
                mode: configuration.listenMode,
                userID: Credentials.isPrivileged ? accounts.socketUserID : nil,
                groupID: accounts.socketGroupID
            )
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

    /// Gives a new socket to `listenOwner`, which only root can do.
    package borrowing func giveToOwner(_ accounts: PoolAccounts) throws(SupervisorError) {
        guard let file, Credentials.isPrivileged, let owner = accounts.socketUserID else { return }
        let path = file.path
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: path, error) }
        let status = try SystemCallError.mapped(
            to: failure,
            try FileStatus(path: path, followingLinks: false)
        )
        guard status.identity == file.identity, owner != status.userID else { return }
        let group = accounts.socketGroupID ?? status.groupID
        try SystemCallError.mapped(to: failure, try Directory.give(path: path, toUser: owner, group: group))
    }

    /// Makes the directory of the socket with access for the pool and nginx's group only. Leaves an existing directory
    /// as it is.
    package static func makeDirectory(
        _ configuration: Configuration,
        _ accounts: PoolAccounts
    ) throws(SupervisorError) {
        guard let directory = configuration.socketDirectory, (try? FileStatus(path: directory)) == nil else {
            return
        }
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: directory, error) }
        try SystemCallError.mapped(to: failure, try Directory.make(path: directory, permissions: 0o750))
        guard let group = accounts.socketGroupID else { return }
        let user = accounts.pool?.userID ?? Credentials.current.userID
        try SystemCallError.mapped(
            to: failure,
            try Directory.give(path: directory, toUser: user, group: group)
        )
    }
}
