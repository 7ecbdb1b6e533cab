public import Loader
public import System
public import Vocabulary

/// Why a supervisor does not start.
public enum SupervisorError: CodedError, Hashable, CustomStringConvertible {
    /// The configuration is wrong or cannot be read.
    case configuration(LoadError)
    /// `user`, `group`, `listenOwner` or `listenGroup` names nobody.
    case unknownAccount(key: String, name: String)
    /// The process may not become `user`.
    case notPrivileged(user: String)
    /// The pool would run as root, and nobody has allowed that.
    case runsAsRoot
    /// Another supervisor holds `pidFile`.
    case alreadyRunning(pidFile: String)
    /// Another supervisor uses `stateDirectory`.
    case stateInUse(directory: String)
    /// `pidFile` does not hold one process number.
    case pidFileInvalid(path: String)
    /// `pidFile` names a process that is no supervisor of this pool.
    case pidFileForeign(path: String, processID: Int32)
    /// The socket, `pidFile` or `stateDirectory` cannot be made.
    case unavailable(what: String, SystemCallError)
    /// `listen` is `systemd` and systemd handed nothing over.
    case nothingInherited
    /// `listen` is `systemd` and systemd handed over more than one socket; which one is meant?
    case severalInherited(count: Int)
    /// Privileges could not be given up for good.
    case privileges(SystemCallError)
    /// What the binary before handed over cannot be understood.
    case upgradeUnreadable

    /// The stable code.
    public var code: String {
        switch self {
        case .configuration(let error): error.code
        case .unknownAccount: "supervisor.unknown-account"
        case .notPrivileged: "supervisor.not-privileged"
        case .runsAsRoot: "runs-as-root"
        case .alreadyRunning: "supervisor.already-running"
        case .stateInUse: "supervisor.state-in-use"
        case .pidFileInvalid: "supervisor.pid-file-invalid"
        case .pidFileForeign: "supervisor.pid-file-foreign"
        case .unavailable: "supervisor.unavailable"
        case .nothingInherited: "supervisor.nothing-inherited"
        case .severalInherited: "supervisor.several-inherited"
        case .privileges: "supervisor.privileges"
        case .upgradeUnreadable: "supervisor.upgrade-unreadable"
        }
    }

    /// What is wrong, for people.
    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .unknownAccount(let key, let name): "\(key): there is no \"\(name)\" on this machine"
        case .notPrivileged(let user): "only root can run the pool as \(user); start as root or as \(user)"
        case .runsAsRoot:
            "the pool would run as root: set \"user\" to a user without rights, or start it with --allow-root"
        case .alreadyRunning(let path): "another supervisor runs, see \(path)"
        case .stateInUse(let directory):
            "another supervisor uses stateDirectory \(directory); each pool needs one of its own"
        case .pidFileInvalid(let path): "\(path): not a process number; nothing was sent"
        case .pidFileForeign(let path, let processID):
            "\(path): process \(processID) is no supervisor of this pool; nothing was sent"
        case .unavailable(let what, let error): "\(what): \(error)"
        case .nothingInherited: "listen is \"systemd\", but LISTEN_FDS has no socket for this process"
        case .severalInherited(let count):
            "listen is \"systemd\" and LISTEN_FDS has \(count) sockets; the unit's socket must have one ListenStream"
        case .privileges(let error): "giving up privileges: \(error)"
        case .upgradeUnreadable:
            "RETENTIOND_UPGRADE is not as the binary before wrote it; remove it from the environment"
        }
    }

    /// The exit status (style.md: 1 no, 74 I/O, 77 permission, 78 configuration).
    public var exitStatus: Int32 {
        switch self {
        case .configuration, .unknownAccount, .runsAsRoot, .nothingInherited, .severalInherited: 78
        case .alreadyRunning, .stateInUse: 1
        case .notPrivileged, .privileges: 77
        case .unavailable, .pidFileInvalid, .pidFileForeign: 74
        case .upgradeUnreadable: 70
        }
    }
}
