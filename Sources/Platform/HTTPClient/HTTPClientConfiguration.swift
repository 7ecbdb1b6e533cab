/// The settings with which a client sends requests.
public struct HTTPClientConfiguration: Sendable {
    /// The versions of HTTP that a client can ask for.
    public enum ProtocolVersion: String, Sendable, CaseIterable {
        /// HTTP/1.1, whatever the server offers.
        case http1 = "1.1"
        /// HTTP/2 over TLS when the server agrees.
        case http2 = "2"
    }

    /// The path of a PEM file with the only authorities that the client trusts; nil for the system's authorities.
    public var authoritiesFile: String?
    /// The version of HTTP that the client asks for.
    public var protocolVersion = ProtocolVersion.http1
    /// The time after which the client gives up a connection attempt.
    public var connectTimeoutMilliseconds = 10_000
    /// The time after which the client gives up a whole transfer, including the connection attempt.
    public var timeoutMilliseconds = 30_000
    /// The longest body of an answer that the client accepts, in bytes.
    public var responseByteCount = HTTPClientLimits.responseByteCount
    /// True when an answer counts only with its whole body. With false, the header decides: a body that is longer than
    /// ``responseByteCount``, late or broken off is cut there, and the transfer succeeds.
    public var needsWholeBody = true
    /// The number of redirections that the client follows. With 0, a redirection is the answer.
    public var redirectionCount = 0
    /// True when the client uses a connection again for the next request.
    public var keepsConnections = true
    /// True when the client uses the proxies that the environment names (`https_proxy`, `all_proxy`, `no_proxy`), for `https`
    /// to other machines alone. False by default, because measurements must be of the server alone.
    public var usesEnvironmentProxies = false
    /// The value of the User-Agent header.
    public var userAgent = "retentionctl"

    /// Makes a configuration with the defaults above.
    public init() {}
}

public enum HTTPClientLimits {
    /// The default limit of an answer's body: one megabyte. No answer that `retentionctl` asks for is longer.
    public static let responseByteCount = 1 << 20
    /// The limit of a header field's value that a response keeps, in bytes. Dates and numbers are shorter.
    public static let fieldByteCount = 128
    /// The limit of transfers at once. More would measure this machine instead of the server.
    public static let concurrency = 1024
}
