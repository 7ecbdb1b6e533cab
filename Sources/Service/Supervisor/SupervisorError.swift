public import Loader
public import System
public import Vocabulary

/// The reason why a supervisor does not start, or why a command could not reach one.
public enum SupervisorError: CodedError, Hashable, CustomStringConvertible {
    /// The configuration is wrong or cannot be read.
    case configuration(LoadError)
    /// `user`, `group`, `listenOwner` or `listenGroup` names an account that this machine does not have.
    case unknownAccount(key: String, name: String)
    /// The process is not allowed to become `user`.
    case notPrivileged(user: String)
    /// The pool would run as root, which is not allowed without `--allow-root`.
    case runsAsRoot
    /// Another supervisor holds `pidFile`.
    case alreadyRunning(pidFile: String)
    /// Another supervisor uses `stateDirectory`.
    case stateInUse(directory: String)
    /// `pidFile` does not contain exactly one process number.
    case pidFileInvalid(path: String)
    /// `pidFile` names a process that is not the supervisor of this pool.
    case pidFileForeign(path: String, processID: Int32)
    /// The socket, `pidFile` or `stateDirectory` cannot be made.
    case unavailable(what: String, SystemCallError)
    /// `listen` is `systemd`, but systemd handed over no socket.
    case nothingInherited
    /// `listen` is `systemd`, but systemd handed over more than one socket, and the supervisor cannot tell which one to
    /// use.
    case severalInherited(count: Int)
    /// The supervisor could not give up its privileges for good.
    case privileges(SystemCallError)

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
        }
    }

    /// A sentence for a person that says what is wrong.
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
            "\(path): process \(processID) is not the supervisor of this pool; nothing was sent"
        case .unavailable(let what, let error): "\(what): \(error)"
        case .nothingInherited: "listen is \"systemd\", but LISTEN_FDS has no socket for this process"
        case .severalInherited(let count):
            "listen is \"systemd\" and LISTEN_FDS has \(count) sockets; the unit's socket must have one ListenStream"
        case .privileges(let error): "giving up privileges: \(error)"
        }
    }

    /// The exit status: 1 a refusal, 70 a fault of this program, 74 input or output, 77 permission, 78 configuration.
    public var exitStatus: Int32 {
        switch self {
        case .configuration, .unknownAccount, .runsAsRoot, .nothingInherited, .severalInherited: 78
        case .alreadyRunning, .stateInUse: 1
        case .notPrivileged, .privileges: 77
        case .unavailable, .pidFileInvalid, .pidFileForeign: 74
        }
    }
}
