public import System
public import Vocabulary

/// The reason why the state of the rates could not be read or kept.
public enum RateStateError: CodedError, Hashable, CustomStringConvertible {
    /// The directory or a file of the state cannot be used. The string is the path.
    case file(String, SystemCallError)
    /// Another process holds the lock for longer than the client waits. The string is the path of the lock.
    case locked(String)
    /// The file at this path is not a state of rates, or it is damaged.
    case damaged(String)
    /// A newer version wrote the file at this path.
    case newer(String)

    /// The stable code.
    public var code: String {
        switch self {
        case .file: "rate-state.file"
        case .locked: "rate-state.locked"
        case .damaged: "rate-state.damaged"
        case .newer: "rate-state.newer"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .file(let path, let error): "\(path): \(error)"
        case .locked(let path): "\(path): another process keeps the state of the rates locked"
        case .damaged(let path):
            "\(path): not a state of rates, or damaged; move it away, and the calls of the last hour are forgotten"
        case .newer(let path): "\(path): written by a newer version"
        }
    }
}
