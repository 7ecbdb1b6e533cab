/// How requests are sent.
public struct HTTPClientConfiguration: Sendable {
    /// The versions of HTTP that can be asked for.
    public enum ProtocolVersion: String, Sendable, CaseIterable {
        /// HTTP/1.1, whatever the server offers.
        case http1 = "1.1"
        /// HTTP/2 over TLS where the server agrees.
        case http2 = "2"
    }

    /// A PEM file with the only authorities that are trusted; nil for the system's.
    public var authoritiesFile: String?
    /// The version of HTTP.
    public var protocolVersion = ProtocolVersion.http1
    /// After how long a connection attempt is given up.
    public var connectTimeoutMilliseconds = 10_000
    /// After how long a whole transfer is given up, connecting included.
    public var timeoutMilliseconds = 30_000
    /// The longest body that is taken.
    public var responseByteCount = HTTPClientLimits.responseByteCount
    /// How many redirections are followed; 0 takes a redirection as the answer.
    public var redirectionCount = 0
    /// Whether a connection is used again for the next request.
    public var keepsConnections = true
    /// Whether the proxies named in the environment are used. Off, because measurements are of the server alone.
    public var usesEnvironmentProxies = false
    /// What is sent as User-Agent.
    public var userAgent = "retentionctl"

    /// The defaults above.
    public init() {}
}

/// Limits of the client.
public enum HTTPClientLimits {
    /// No answer this tool asks for is longer than a megabyte.
    public static let responseByteCount = 1 << 20
    /// Transfers at once; more would measure this machine instead of the server.
    public static let concurrency = 1024
}
