/// The endpoint that a location of nginx serves. nginx passes its name with `fastcgi_param RETENTION_ENDPOINT`.
public enum EndpointName: String, Sendable, Hashable, CaseIterable {
    /// Apple's Get Retention Message.
    case retentionMessage = "retention-message"
    /// The status page: what is loaded, and how the pool is doing.
    case status
    /// The health check: `pong` while valid rules are loaded.
    case ping
    /// App Store Server Notifications. Only the recorder serves this endpoint.
    case notifications
    /// The counters for Prometheus.
    case metrics

    /// Reads the parameter's value; nil when it is not the name of an endpoint.
    public init?(_ value: Span<UInt8>) {
        guard let name = Self.allCases.first(where: { $0.isNamed(value) }) else { return nil }
        self = name
    }

    /// Compares bytes, so that no string is made for each request.
    private func isNamed(_ value: Span<UInt8>) -> Bool {
        let name = rawValue.utf8
        guard name.count == value.count else { return false }
        var index = 0
        for byte in name {
            guard byte == value[index] else { return false }
            index += 1
        }
        return true
    }
}
