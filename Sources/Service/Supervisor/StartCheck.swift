public import Configuration
internal import System

/// Looks for the problems that a start would meet, and makes nothing. Where a start would be refused, the finding has
/// the same code.
///
/// While a pool with this configuration runs, its socket and port are in use by that pool, so they are not tried.
public struct StartCheck {
    /// The findings for which a start is refused, or after which the pool works badly.
    public private(set) var problems: [StartFinding] = []
    /// Sentences about settings or rights that should be different, but do not prevent a start.
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

    /// Checks the steps of a start that run with the rights of whoever starts the pool: making missing directories and
    /// binding an Internet address.
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

    /// Checks the steps of a start that run with the rights of the pool. The process must already run as the pool's
    /// user.
    public mutating func checkAsPool() {
        checkSocket()
        checkPidFile()
        checkState()
    }

    /// Checks whether the pool can write verdicts and its last good generation. A pool that cannot write them serves,
    /// but `--reload` never gets a verdict.
    private mutating func checkState() {
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
        // systemd makes the directory with the socket and gives it to the pool's user when the service starts.
        if case .systemd = configuration.listen { return }
        do throws(SystemCallError) {
            try Directory.checkEntryCanBeMade(path: path)
            // The pid file is renamed into place, whoever owns an existing one. The lock file is opened.
            try LineOutput.check(appendingTo: PidFile.lockPath(of: path))
        } catch {
            return refuse(what: "the pid file \(path)", error, remedy: remedy(directory))
        }
        guard let status = try? FileStatus(path: path, followingLinks: false), status.kind == .directory
        else {
            return
        }
        refuse(what: "the pid file", .found(.notRegularFile(path: path, kind: .directory)))
    }

    private mutating func checkSocket() {
        guard case .unix(let path) = configuration.listen, let directory = configuration.socketDirectory,
            let group = accounts.socketGroupID
        else { return }
        do throws(SystemCallError) {
            try Credentials.current.checkMayGive(toGroup: group)
        } catch {
            let name = configuration.listenGroup
            let what = "the socket cannot be given to group \(name), which \(user) is not in"
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

    /// Checks an existing directory of the socket. It should have mode 0750, the pool's user and nginx's group.
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
            let whose =
                "\(directory) belongs to \(owner) instead of the pool's user, so \(owner) can replace the socket"
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

    /// Returns why nothing can be written into an existing directory; nil when it can be written.
    private static func unwritable(_ directory: String) -> String? {
        guard (try? FileStatus(path: directory))?.kind == .directory else {
            return ", which is not a directory"
        }
        return Directory.isWritable(path: directory) ? nil : ""
    }
}
