public import Vocabulary

/// The reason why a state cannot be read.
public enum SimulatorStateError: CodedError, Hashable, CustomStringConvertible {
    /// The text is not a state of the simulator, or it is damaged. The string is the place where reading ended.
    case damaged(String)
    /// A newer version wrote the state.
    case newer

    /// The stable code.
    public var code: String {
        switch self {
        case .damaged: "simulator-state.damaged"
        case .newer: "simulator-state.newer"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .damaged(let place): "not a state of the simulator, or damaged (\(place))"
        case .newer: "written by a newer version"
        }
    }
}
