/// The settings with which a client sends requests.
package struct HTTPClientConfiguration: Sendable {
    package enum ProtocolVersion: String, Sendable, CaseIterable {
        /// HTTP/1.1, whatever the server offers.
        case http1 = "1.1"
        /// HTTP/2 over TLS when the server agrees.
        case http2 = "2"
    }

    /// The path of a PEM file with the only authorities that the client trusts; nil for the system's authorities.
    package var authoritiesFile: String?
    package var protocolVersion = ProtocolVersion.http1
    package var connectTimeoutMilliseconds = 10_000
    package var timeoutMilliseconds = 30_000
    package var responseByteCount = HTTPClientLimits.responseByteCount
    /// True when an answer counts only with its whole body. With false, the header decides: a body that is longer than
    /// ``responseByteCount``, late or broken off is cut there, and the transfer succeeds.
    package var needsWholeBody = true
    /// The number of redirections that the client follows. With 0, a redirection is the answer.
    package var redirectionCount = 0
    package var keepsConnections = true
    /// True when the client uses the proxies that the environment names (`https_proxy`, `all_proxy`, `no_proxy`), for `https`
    /// to other machines alone. False by default, because measurements must be of the server alone.
    package var usesEnvironmentProxies = false
    package var userAgent = "retentionctl"

    package init() {}
}

package enum HTTPClientLimits {
    /// The default limit of an answer's body: one megabyte. No answer that `retentionctl` asks for is longer.
    package static let responseByteCount = 1 << 20
    /// The limit of a header field's value that a response keeps, in bytes. Dates and numbers are shorter.
    package static let fieldByteCount = 128
    /// The limit of transfers at once. More would measure this machine instead of the server.
    package static let concurrency = 1024
}
