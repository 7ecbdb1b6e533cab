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

    /// One line for each problem, each with line and column, as ``description(ofFile:)`` writes them.
    public var description: String { lines(after: "") }

    /// One line for each problem, each with the file, line and column. The first line is what ``code`` is about; whoever
    /// shows it adds that code. Every other line ends with a code of its own.
    public func description(ofFile path: String) -> String { lines(after: path) }

    private func lines(after path: String) -> String {
        func place(_ hasPosition: Bool) -> String {
            path.isEmpty ? "" : hasPosition ? "\(path):" : "\(path): "
        }
        switch self {
        case .json(let error): return "\(place(error.position != nil))\(error)"
        case .invalid:
            return problems.enumerated().map { index, problem in
                let line = "\(place(problem.position != nil))\(problem)"
                return index == 0 ? line : "\(line) (\(problem.code.rawValue))"
            }.joined(separator: "\n")
        }
    }
}
