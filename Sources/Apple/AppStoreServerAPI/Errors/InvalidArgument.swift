public import Vocabulary

/// The reason why the client does not send a request.
public enum InvalidArgument: CodedError, Hashable, CustomStringConvertible {
    /// A product identifier or locale is empty, `.` or `..`, which no path of a URL can contain as a name. The string
    /// says which.
    case pathSegment(String)
    /// Only the Sandbox host has the operation.
    case sandboxOnly(AppStoreServerOperation)
    /// The App Store has no such environment. The API exists for Production and Sandbox alone.
    case environment(Environment)
    /// The base URL is not `https://host[:port]`, or it is `http` with a host other than this machine.
    case baseURL

    /// The stable code.
    public var code: String {
        switch self {
        case .pathSegment: "app-store-server-api.path-segment"
        case .sandboxOnly: "app-store-server-api.sandbox-only"
        case .environment: "app-store-server-api.environment"
        case .baseURL: "app-store-server-api.base-url"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .pathSegment(let name): "the \(name) is empty or consists of dots"
        case .sandboxOnly(let operation): "\(operation.name) exists in Sandbox only"
        case .environment(let environment): "the API does not exist in \(environment.rawValue)"
        case .baseURL: "the base URL must be https://host[:port]; http is possible for 127.0.0.1 alone"
        }
    }
}
