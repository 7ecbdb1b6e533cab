public import Configuration
internal import Loader
public import System
package import Telemetry
internal import Vocabulary

/// The users and groups of a configuration as numbers: the user that the pool runs as, and the owner and group of the
/// unix socket.
public struct PoolAccounts: Sendable, Hashable {
    /// The user and groups that the pool changes to; nil when it keeps those it was started with.
    public let pool: Credentials?
    /// The owner of the unix socket; nil leaves the owner as it is.
    public let socketUserID: UInt32?
    /// The group of the unix socket; nil when the pool does not listen on a unix socket.
    public let socketGroupID: UInt32?

    /// Looks up the names in the configuration. A number stands for itself.
    ///
    /// When root starts the pool, the pool also gets the group of its unix socket, as `SupplementaryGroups=` in the
    /// shipped unit does. So a start by root and a start by the unit give the pool the same rights.
    ///
    /// - Throws: `supervisor.unknown-account`, `supervisor.not-privileged`, `runs-as-root`.
    public init(_ configuration: Configuration, allowsRoot: Bool) throws(SupervisorError) {
        var credentials: Credentials?
        if let user = configuration.user {
            guard let found = Self.user(user) else { throw .unknownAccount(key: "user", name: user) }
            credentials = found
        }
        if let group = configuration.group {
            guard let number = Self.group(group) else { throw .unknownAccount(key: "group", name: group) }
            var changed = credentials ?? .current
            changed.groupIDs = [number] + changed.groupIDs.filter { $0 != changed.groupID && $0 != number }
            changed.groupID = number
            credentials = changed
        }
        let now = Credentials.current
        if let wanted = credentials, !Credentials.isPrivileged {
            // A user who starts the pool as `user` also chooses the group, as a unit with User= and Group= does.
            guard wanted.userID == now.userID,
                configuration.group == nil || wanted.groupID == now.groupID
            else {
                throw .notPrivileged(user: configuration.user ?? configuration.group ?? "")
            }
            credentials = nil
        }
        guard allowsRoot || (credentials ?? now).userID != 0 else { throw .runsAsRoot }
        guard case .unix = configuration.listen else {
            pool = credentials
            socketUserID = nil
            socketGroupID = nil
            return
        }
        if let owner = configuration.socketOwner {
            guard let found = Self.user(owner) else { throw .unknownAccount(key: "listenOwner", name: owner) }
            socketUserID = found.userID
        } else {
            socketUserID = nil
        }
        guard let group = Self.group(configuration.listenGroup) else {
            throw .unknownAccount(key: "listenGroup", name: configuration.listenGroup)
        }
        socketGroupID = group
        if credentials?.groupIDs.contains(group) == false { credentials?.groupIDs.append(group) }
        pool = credentials
    }

    /// Throws `runs-as-root` when this process is root and `allowsRoot` is false. For a worker that has no supervisor.
    public static func refuseRoot(allowsRoot: Bool) throws(SupervisorError) {
        guard allowsRoot || Credentials.current.userID != 0 else { throw .runsAsRoot }
    }

    /// The user and groups that the pool runs as, also when it keeps those it was started with.
    public var identity: Credentials { pool ?? .current }

    /// Runs `body` with the file system rights of the pool, whoever starts it. So a start by root, a start by the unit
    /// and `-t` agree on what is allowed.
    package func asPool<Value: ~Copyable>(
        _ body: () throws(SupervisorError) -> Value
    ) throws(SupervisorError) -> Value {
        guard let pool, Credentials.isPrivileged else { return try body() }
        let own = Credentials.current
        try Self.changing { () throws(SystemCallError) in try pool.assume() }
        do throws(SupervisorError) {
            let value = try body()
            try Self.changing { () throws(SystemCallError) in try own.resume() }
            return value
        } catch {
            try Self.changing { () throws(SystemCallError) in try own.resume() }
            throw error
        }
    }

    /// Writes the log lines of a process to the file of `errorLog`, which is opened with the rights of the pool.
    ///
    /// - Throws: `error-log-unwritable`.
    package func useErrorLog(of configuration: Configuration, in log: ErrorLog) throws(SupervisorError) {
        guard let path = configuration.errorLog else { return }
        try asPool { () throws(SupervisorError) in
            try SystemCallError.mapped(
                to: { SupervisorError.configuration(.errorLogUnwritable(path: path, $0)) },
                try log.use(path)
            )
        }
    }

    private static func changing(_ body: () throws(SystemCallError) -> Void) throws(SupervisorError) {
        try SystemCallError.mapped(
            to: SupervisorError.privileges,
            try body()
        )
    }

    private static func user(_ name: String) -> Credentials? {
        if let found = Accounts.user(named: name) { return found }
        guard let number = UInt32(name) else { return nil }
        return Accounts.user(named: Accounts.userName(number))
            ?? Credentials(userID: number, groupID: number, groupIDs: [number])
    }

    private static func group(_ name: String) -> UInt32? {
        Accounts.groupID(named: name) ?? UInt32(name)
    }
}
