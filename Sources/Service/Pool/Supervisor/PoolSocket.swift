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
        let backlog = Self.backlog
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

    private static func name(of chain: [UInt8]) -> String {
        var hasher = SHA256Hasher()
        hasher.update(chain.span)
        return hasher.finalize().hexadecimal
    }

    /// Stores a chain. When there are too many, removes the one that no worker has reported for the longest time.
    ///
    /// - Returns: false when the chain is stored already, or is none.
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

/// The reason why a supervisor does not start, or why a command could not reach one.
package enum SupervisorError: CodedError, Hashable, CustomStringConvertible {
    case configuration(LoadError)
    case unknownGroup(String)
    case runsAsRoot(command: String)
    case alreadyRunning(pidFile: String)
    case stateInUse(directory: String)
    case pidFileInvalid(path: String)
    case pidFileForeign(path: String, processID: Int32)
    case unavailable(what: String, SystemCallError)
    case nothingInherited
    case severalInherited(count: Int)

    package var code: String {
        switch self {
        case .configuration(let error): error.code
        case .unknownGroup: "supervisor.unknown-account"
        case .runsAsRoot: "runs-as-root"
        case .alreadyRunning: "supervisor.already-running"
        case .stateInUse: "supervisor.state-in-use"
        case .pidFileInvalid: "supervisor.pid-file-invalid"
        case .pidFileForeign: "supervisor.pid-file-foreign"
        case .unavailable: "supervisor.unavailable"
        case .nothingInherited: "supervisor.nothing-inherited"
        case .severalInherited: "supervisor.several-inherited"
        }
    }

    package var description: String {
        switch self {
        case .configuration(let error): error.description
        case .unknownGroup(let name): "listenGroup: there is no group \"\(name)\" on this machine"
        case .runsAsRoot(let command):
            "this program does not run as root without --allow-root; type: runuser -u retentiond -- \(command)"
        case .alreadyRunning(let path): "another supervisor runs, see \(path)"
        case .stateInUse(let directory):
            "another supervisor uses stateDirectory \(directory); each pool needs one of its own"
        case .pidFileInvalid(let path): "\(path): not a process number; nothing was sent"
        case .pidFileForeign(let path, let processID):
            "\(path): process \(processID) is not the supervisor of this pool; nothing was sent"
        case .unavailable(let what, let error): "\(what): \(error)"
        case .nothingInherited: "listen is \"systemd\", but LISTEN_FDS has no socket for this process"
        case .severalInherited(let count):
            "listen is \"systemd\" and LISTEN_FDS has \(count) sockets; the unit's socket must have one ListenStream"
        }
    }

    /// The exit status: 1 a refusal, 74 input or output, 78 configuration.
    package var exitStatus: Int32 {
        switch self {
        case .configuration, .unknownGroup, .runsAsRoot, .nothingInherited, .severalInherited: 78
        case .alreadyRunning, .stateInUse: 1
        case .unavailable, .pidFileInvalid, .pidFileForeign: 74
        }
    }

    /// Refuses to go on as root, because the program reads bytes from outside. `command` is what a person should type
    /// as another user.
    package static func refuseRoot(unless isAllowed: Bool, command: String) throws(SupervisorError) {
        guard isAllowed || !Credentials.isPrivileged else { throw .runsAsRoot(command: command) }
    }
}
