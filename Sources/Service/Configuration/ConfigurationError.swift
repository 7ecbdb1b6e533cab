public import JSON
public import Vocabulary

/// Why a text is no valid `retentiond.json`.
public enum ConfigurationError: CodedError, Hashable, CustomStringConvertible {
    /// Not JSON as we accept it; the code is that of the JSON error.
    case json(JSONError)
    /// JSON, but not a configuration; the code is that of the first problem, the others follow in the order of
    /// the text.
    case invalid(ConfigurationProblem, others: [ConfigurationProblem])

    /// The stable code.
    public var code: String {
        switch self {
        case .json(let error): error.code
        case .invalid(let problem, _): problem.code.rawValue
        }
    }

    /// Everything that is wrong with it, in the order of the text; empty when it is not even JSON.
    public var problems: [ConfigurationProblem] {
        switch self {
        case .json: []
        case .invalid(let problem, let others): [problem] + others
        }
    }

    /// Where the first problem is.
    public var position: JSONPosition? {
        switch self {
        case .json(let error): error.position
        case .invalid(let problem, _): problem.position
        }
    }

    /// One line for each problem, each with line and column.
    public var description: String {
        switch self {
        case .json(let error): "\(error) (\(error.code))"
        case .invalid: problems.map(\.description).joined(separator: "\n")
        }
    }
}
