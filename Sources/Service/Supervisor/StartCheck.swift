public import Configuration
internal import System

/// Looks for what a start would find, and makes nothing: where a start is refused, this has the same code.
///
/// While a pool of this configuration runs, its socket and port are in use by that pool, so they are not tried.
public struct StartCheck {
    /// Something that a start is refused for, or that works badly after it.
    public private(set) var problems: [StartFinding] = []
    /// Something that should be otherwise.
    public private(set) var warnings: [String] = []

    private let configuration: Configuration
    private let accounts: PoolAccounts
    private let isRunning: Bool

    /// Prepares to check this configuration.
    public init(_ configuration: Configuration, _ accounts: PoolAccounts) {
        self.configuration = configuration
        self.accounts = accounts
        isRunning = (try? RunningSupervisor.find(configuration)).flatMap { $0 } != nil
    }

    /// Checks what a start does with the rights of whoever starts the pool: it makes the directories that are missing, and
    /// binds an address.
    public mutating func checkAsStarter() {
        if let directory = configuration.socketDirectory, !Self.isThere(directory) {
            checkDirectoryCanBeMade(directory, remedy: socketRemedy(directory))
        }
        let state = configuration.stateDirectory
        if !Self.isThere(state) {
            checkDirectoryCanBeMade(state, remedy: remedy(Directory.parent(of: state)))
        }
        guard case .internet(let host, let port) = configuration.listen, !isRunning else { return }
        do throws(SystemCallError) {
            try ListeningSocket.check(host: host, port: port)
        } catch {
            refuse(what: configuration.listen.description, error)
        }
    }

    /// Checks what a start does with the rights of the pool. The process must run as the pool by now.
    public mutating func checkAsPool() {
        checkSocket()
        checkPidFile()
        checkState()
    }

    /// Checks whether the pool can write verdicts and its last good generation: a pool that cannot serves, but
    /// `--reload` never hears of a verdict. The process must run as the pool by now.
    public mutating func checkState() {
        let directory = configuration.stateDirectory
        guard Self.isThere(directory) else { return }
        let lastGood = "\(directory)/last-good"
        if let reason = Self.unwritable(directory) {
            let what = "\(user) cannot write verdicts into \(directory)\(reason)"
            problems.append(.stateUnwritable("\(what): \(remedy(directory))"))
        } else if Self.isThere(lastGood), let reason = Self.unwritable(lastGood) {
            let what = "\(user) cannot write the last good generation into \(lastGood)\(reason)"
            problems.append(.stateUnwritable("\(what): \(remedy(lastGood))"))
        }
    }

    private mutating func checkDirectoryCanBeMade(_ directory: String, remedy: String) {
        do throws(SystemCallError) {
            try Directory.checkEntryCanBeMade(path: directory)
        } catch {
            refuse(what: "\(directory) does not exist and cannot be made", error, remedy: remedy)
        }
    }

    private mutating func checkPidFile() {
        let path = configuration.pidFile
        let directory = Directory.parent(of: path)
        let willBeMade = directory == configuration.socketDirectory && !Self.isThere(directory)
        guard !willBeMade, !isRunning else { return }
        do throws(SystemCallError) {
            try Directory.checkEntryCanBeMade(path: path)
            // The pid file is renamed into place, whoever left one there; the lock is opened.
            try LineOutput.check(appendingTo: PidFile.lockPath(of: path))
        } catch {
            return refuse(what: "the pid file \(path)", error, remedy: remedy(directory))
        }
        guard let status = try? FileStatus(path: path, followingLinks: false), status.kind == .directory
        else {
            return
        }
        refuse(what: "\(path) is a directory", SystemCallError(call: "rename", .eisdir))
    }

    private mutating func checkSocket() {
        guard case .unix(let path) = configuration.listen, let directory = configuration.socketDirectory,
            let group = accounts.socketGroupID
        else { return }
        let now = Credentials.current
        let name = configuration.listenGroup
        if !Credentials.isPrivileged, now.groupID != group, !now.groupIDs.contains(group) {
            let what = "the socket cannot be given to group \(name), which \(user) is not in"
            let error = SystemCallError(call: "chown", .eperm)
            refuse(what: what, error, remedy: "usermod -a -G \(name) \(user), or SupplementaryGroups=\(name)")
        }
        guard let status = try? FileStatus(path: directory) else { return }
        checkDirectory(status, directory, group)
        guard !isRunning else { return }
        do throws(SystemCallError) {
            try ListeningSocket.check(unixPath: path)
        } catch {
            let isDirectory = error.userID != nil || status.kind != .directory
            refuse(what: path, error, remedy: isDirectory ? socketRemedy(directory) : nil)
        }
    }

    /// An existing directory: 0750 of the pool's user and nginx's group is what it should be.
    private mutating func checkDirectory(_ status: FileStatus, _ directory: String, _ group: UInt32) {
        guard status.kind == .directory else { return }
        let remedy = socketRemedy(directory)
        let isOpenToGroup = status.groupID == group && status.permissions & 0o010 != 0
        if !isOpenToGroup && status.permissions & 0o001 == 0 {
            problems.append(
                .closed("group \(configuration.listenGroup) cannot enter \(directory): \(remedy)")
            )
        }
        if status.isWorldWritable && status.permissions & 0o1000 == 0 {
            problems.append(.open("everybody may replace the socket in \(directory): \(remedy)"))
        } else if status.permissions & 0o007 != 0 {
            warnings.append("\(directory) is open to everybody, the socket is for nginx alone: \(remedy)")
        }
        if status.userID != accounts.identity.userID {
            let owner = Accounts.userName(status.userID)
            let whose = "\(directory) is \(owner)'s, who may replace the socket, and not the pool's"
            warnings.append("\(whose): \(remedy)")
        }
    }

    private mutating func refuse(what: String, _ error: SystemCallError, remedy: String? = nil) {
        problems.append(.refusal(.unavailable(what: what, error), remedy: remedy))
    }

    private var user: String { Accounts.userName(accounts.identity.userID) }

    private func remedy(_ directory: String) -> String { "install -d -o \(user) -m 0750 \(directory)" }

    private func socketRemedy(_ directory: String) -> String {
        "install -d -o \(user) -g \(configuration.listenGroup) -m 0750 \(directory)"
    }

    private static func isThere(_ path: String) -> Bool { (try? FileStatus(path: path)) != nil }

    /// Why nothing can be written into a directory that is there; nil when it can.
    private static func unwritable(_ directory: String) -> String? {
        guard (try? FileStatus(path: directory))?.kind == .directory else { return ", which is no directory" }
        return Directory.isWritable(path: directory) ? nil : ""
    }
}
