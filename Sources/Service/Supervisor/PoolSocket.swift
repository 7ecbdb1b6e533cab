package import Configuration
package import System
internal import Vocabulary

/// The pool's listening socket and its file name.
package struct PoolSocket: ~Copyable {
    package let socket: ListeningSocket
    /// The path of the socket and the identity of the file that the pool made there; nil when the pool made no file
    /// that it may remove.
    private let file: (path: String, identity: FileIdentity)?

    /// Makes the socket that `listen` names, or takes it from systemd.
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

    /// The number of the group `listenGroup`.
    ///
    /// - Throws: `supervisor.unknown-account`.
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
