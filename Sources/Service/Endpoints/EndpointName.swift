/// What a location of nginx is, said by `fastcgi_param RETENTION_ENDPOINT`.
public enum EndpointName: String, Sendable, Hashable, CaseIterable {
    /// Apple's Get Retention Message.
    case retentionMessage = "retention-message"
    /// What is loaded and how it is going.
    case status
    /// `pong` while valid rules are loaded.
    case ping

    /// Reads the parameter's value; nil when it names none of these.
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
