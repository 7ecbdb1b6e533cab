package import System

/// A request as the web server passes it to the simulator.
package struct SimulatorRequest: Sendable {
    /// The environment, which follows from the host: production or sandbox.
    package var environment: Environment
    package var method: String
    /// The path and the query, exactly as in the request line.
    package var target: String
    /// The media type of the body; nil when the request has none.
    package var contentType: String?
    /// The value of the header `Authorization`; nil when the request has none.
    package var authorization: String?
    /// The body; nil when it is longer than the simulator takes.
    package var body: [UInt8]?

    package init(
        environment: Environment, method: String, target: String, contentType: String? = nil,
        authorization: String? = nil, body: [UInt8]? = []
    ) {
        self.environment = environment
        self.method = method
        self.target = target
        self.contentType = contentType
        self.authorization = authorization
        self.body = body
    }

    /// Returns true when the media type is `type`, with or without parameters.
    func hasMediaType(_ type: String) -> Bool {
        guard let name = contentType?.split(separator: ";", omittingEmptySubsequences: false).first else {
            return false
        }
        return name.filter { $0 != " " }.lowercased() == type
    }
}
