package import System

/// The reason why a supervisor does not start, or why a command could not reach one.
package enum SupervisorError: CodedError, Hashable, CustomStringConvertible {
    /// The configuration is wrong or cannot be read.
    case configuration(LoadError)
    /// This machine does not have the group `listenGroup`.
    case unknownGroup(String)
    /// The program would run as root, which is not allowed without `--allow-root`.
    case runsAsRoot(command: String)
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
