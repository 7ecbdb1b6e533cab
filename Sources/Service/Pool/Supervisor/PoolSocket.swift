package import Configuration
internal import Cryptography
package import System

package struct PoolSocket: ~Copyable {
    package let socket: ListeningSocket
    /// The path of the socket and the identity of the file that the pool made there; nil when the pool made no file
    /// that it may remove.
    private let file: (path: String, identity: FileIdentity)?

    /// The connections that the kernel queues; net.core.somaxconn caps it.
    private static let backlog: Int32 = 4096

    package init(_ configuration: Configuration) throws(ServiceError) {
        if case .systemd = configuration.listen {
            guard case .systemd(let count) = ListeningSocket.inheritance() else {
                throw ServiceError(
                    code: "supervisor.nothing-inherited",
                    "listen is \"systemd\", but LISTEN_FDS has no socket for this process")
            }
            guard count == 1 else {
                throw ServiceError(
                    code: "supervisor.several-inherited",
                    "listen is \"systemd\" and LISTEN_FDS has \(count) sockets; the unit's socket must have one "
                        + "ListenStream")
            }
        }
        let listen = configuration.listen.description
        var group: UInt32?
        if case .unix = configuration.listen { group = try Self.group(configuration) }
        self = try SystemCallError.mapped(
            to: { error in
                // The kernel lets a user give a file only to a group that the user is in.
                let isGroup = error.call == "chown"
                let what = isGroup ? "\(listen) for listenGroup \(configuration.listenGroup)" : listen
                return ServiceError.unavailable(what, error)
            },
            try PoolSocket(opening: configuration, group: group)
        )
    }

    private init(opening configuration: Configuration, group: UInt32?) throws(SystemCallError) {
        switch configuration.listen {
        case .unix(let path):
            let access = ListeningSocket.Access(mode: configuration.listenMode, groupID: group)
            let made = try ListeningSocket(unixPath: path, access: access, backlog: Self.backlog)
            file = (path, try FileStatus(path: path).identity)
            socket = made
        case .internet(let host, let port):
            socket = try ListeningSocket(host: host, port: port, backlog: Self.backlog)
            file = nil
        case .systemd:
            let number = ListeningSocket.firstSystemdDescriptor
            let inherited = FileDescriptor(takingOwnership: number)
            try inherited.setCloseOnExec(true)
            socket = try ListeningSocket(adopting: inherited)
            file = nil
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

    static func group(_ configuration: Configuration) throws(ServiceError) -> UInt32 {
        let name = configuration.listenGroup
        guard let number = Accounts.groupID(named: name) else {
            throw ServiceError(
                code: "supervisor.unknown-account",
                "listenGroup: there is no group \"\(name)\" on this machine")
        }
        return number
    }

    /// Makes the directory of the socket with access for the pool and nginx's group only. Leaves an existing directory
    /// as it is.
    package static func makeDirectory(_ configuration: Configuration) throws(ServiceError) {
        guard let directory = configuration.socketDirectory, (try? FileStatus(path: directory)) == nil else {
            return
        }
        let group = try Self.group(configuration)
        try SystemCallError.needed(for: directory, try Directory.make(path: directory, permissions: 0o750))
        let user = Credentials.current.userID
        try SystemCallError.needed(
            for: directory, try Directory.give(path: directory, toUser: user, group: group))
    }
}

package enum StartCheck {
    /// Throws the error with which a start by this user would be refused. The socket and the pid file are in use while the
    /// pool runs, and systemd makes their directory, so then they are not tried.
    package static func run(_ configuration: Configuration) throws(ServiceError) {
        let state = configuration.stateDirectory
        let entry = isThere(state) ? "\(state)/current" : state
        try SystemCallError.needed(for: state, try Directory.checkEntryCanBeMade(path: entry))
        if case .unix = configuration.listen { _ = try PoolSocket.group(configuration) }
        guard configuration.listen != .systemd, (try? RunningSupervisor.find(configuration)) == nil else {
            return
        }
        try checkPidFile(configuration)
        try checkSocket(configuration)
    }

    private static func checkPidFile(_ configuration: Configuration) throws(ServiceError) {
        let path = configuration.pidFile
        let directory = Directory.parent(of: path)
        guard isThere(directory) || directory != configuration.socketDirectory else { return }
        let what = "the pid file \(path)"
        try SystemCallError.needed(for: what, try Directory.checkEntryCanBeMade(path: path))
        // The pid file is renamed into place, whoever owns an existing one. The lock file is opened.
        try SystemCallError.needed(
            for: what, try LineOutput.check(appendingTo: PidFile.lockPath(of: path)))
        guard (try? FileStatus(path: path, followingLinks: false))?.kind != .directory else {
            throw .unavailable(what, .notRegularFile(path: path, kind: .directory))
        }
    }

    private static func checkSocket(_ configuration: Configuration) throws(ServiceError) {
        let listen = configuration.listen.description
        switch configuration.listen {
        case .unix(let path):
            if let directory = configuration.socketDirectory, !isThere(directory) {
                try SystemCallError.needed(
                    for: listen, try Directory.checkEntryCanBeMade(path: directory))
            } else {
                try SystemCallError.needed(for: listen, try ListeningSocket.check(unixPath: path))
            }
        case .internet(let host, let port):
            try SystemCallError.needed(for: listen, try ListeningSocket.check(host: host, port: port))
        case .systemd: break
        }
    }

    private static func isThere(_ path: String) -> Bool { (try? FileStatus(path: path)) != nil }
}

/// `stateDirectory/chains`: the certificate chains that led to valid payloads lately, each in a file that is named by its SHA-256.
/// They are hints for new workers, as opaque bytes: each worker verifies a chain itself before it trusts the chain.
package struct ChainDirectory: Sendable {
    private let path: String
    private static let countLimit = 8
    /// A chain is three certificates; real ones take about 2.5 KB.
    private static let byteLimit = 16 << 10

    package init(stateDirectory: String) {
        path = "\(stateDirectory)/chains"
    }

    package func chains() -> [[UInt8]] { names.compactMap(chain) }

    private var names: [String] {
        guard let opened = try? FileDescriptor.openDirectory(path: path) else { return [] }
        let names = (try? Directory.names(in: opened, limitCount: 1000)) ?? []
        return names.filter { SHA256Digest(hexadecimal: $0) != nil }
    }

    private func chain(named name: String) -> [UInt8]? {
        guard let file = try? FileDescriptor.openForReading(path: "\(path)/\(name)"),
            let bytes = try? file.readAll(limitBytes: Self.byteLimit), Self.name(of: bytes) == name
        else { return nil }
        return bytes
    }

    private static func name(of chain: [UInt8]) -> String { SHA256.hash(chain.span).hexadecimal }

    /// Stores a chain. When there are too many, removes the one that no worker has reported for the longest time. Returns false when
    /// the chain is stored already, or is none.
    func add(_ chain: [UInt8]) throws(SystemCallError) -> Bool {
        guard !chain.isEmpty, chain.count <= Self.byteLimit else { return false }
        let name = Self.name(of: chain)
        let file = "\(path)/\(name)"
        if self.chain(named: name) != nil {
            try Directory.touch(path: file)
            return false
        }
        if (try? FileStatus(path: path)) == nil { try Directory.make(path: path, permissions: 0o700) }
        // Nothing waits for the disk: a power cut may leave half a chain, which does not have its name's digest.
        let temporary = "\(path)/.new"
        try Directory.removeFile(path: temporary)
        try FileDescriptor.create(path: temporary, permissions: 0o600).write(chain.span)
        try Directory.rename(temporary, to: file)
        let byAge = names.sorted { modified($0) < modified($1) }
        for old in byAge.prefix(max(0, byAge.count - Self.countLimit)) {
            try Directory.removeFile(path: "\(path)/\(old)")
        }
        return true
    }

    private func modified(_ name: String) -> Int64 {
        (try? FileStatus(path: "\(path)/\(name)"))?.modifiedNanoseconds ?? 0
    }
}
