public import FastCGI
public import Loader
public import NotificationStore
public import SignedPayloads
public import Supervisor
public import System
public import Vocabulary

/// The reason why the recorder does not start, or refuses a reload.
public enum RecorderError: CodedError, Hashable, CustomStringConvertible {
    /// The configuration has no object `notifications`.
    case notConfigured
    /// The configuration or an anchor is refused.
    case load(LoadError)
    /// An anchor cannot be used.
    case anchors(AnchorError)
    /// Root, the socket or the pid file are refused.
    case start(SupervisorError)
    /// The store is refused.
    case store(NotificationStoreError)
    /// libfcgi or a system call failed.
    case serving(FastCGIError)
    /// A system call failed.
    case system(SystemCallError)

    /// The stable code.
    public var code: String {
        switch self {
        case .notConfigured: "recorder.not-configured"
        case .load(let error): error.code
        case .anchors(let error): error.code
        case .start(let error): error.code
        case .store(let error): error.code
        case .serving(let error): error.code
        case .system(let error): error.code
        }
    }

    /// A sentence for a person that says what is wrong.
    public var description: String {
        switch self {
        case .notConfigured: "the configuration has no \"notifications\", so there is nothing to do"
        case .load(let error): error.description
        case .anchors(let error): "the anchors: \(error)"
        case .start(let error): error.description
        case .store(let error): "the store: \(error)"
        case .serving(let error): "\(error)"
        case .system(let error): error.description
        }
    }

    /// The exit status: 1 a refusal, 70 a fault of this program, 74 input or output, 77 permission, 78 configuration.
    public var exitStatus: Int32 {
        switch self {
        case .notConfigured, .load, .anchors: 78
        case .start(let error): error.exitStatus
        case .store: 1
        case .serving: 70
        case .system: 74
        }
    }
}
