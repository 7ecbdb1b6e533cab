/// The URL of a server that receives what is posted to it: without a user, a password or a fragment, and with nothing that
/// a URL percent-encodes. The configuration and the programs that post read it with this one type, so that nothing that the
/// configuration accepts is refused later.
public struct ReceiverURL: Sendable, Hashable {
    /// The URL as it was given.
    public let text: String
    /// The scheme in lower case: `https` or `http`.
    public let scheme: String
    /// The host in lower case without the port. An IPv6 address is in brackets.
    public let host: String
    /// The host in lower case, with the port if the URL has one.
    public let authority: String

    /// The longest URL in bytes.
    public static let byteLimit = 2048
    /// The longest host with its port, in bytes.
    public static let authorityByteLimit = 260

    /// The form of `https` URLs as a regular expression, for schemas. ``byteLimit`` comes on top.
    public static let securePattern =
        #"^https://(?=[^/?]{1,260}([/?]|$))([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])"#
        + #"(:0*(6553[0-5]|655[0-2][0-9]|65[0-4][0-9][0-9]|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}))?"#
        + #"([/?][!$-;=?-\[\]_a-z~]*)?$"#

    /// Reads a URL; nil when it is malformed.
    public init?(_ text: String) {
        guard (1...Self.byteLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !##""<>\^`{|}#"##.utf8.contains($0) }),
            let end = text.firstRange(of: "://")
        else { return nil }
        scheme = text[..<end.lowerBound].lowercased()
        let authority = text[end.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard ["https", "http"].contains(scheme), authority.utf8.count <= Self.authorityByteLimit,
            let host = Self.host(authority)
        else { return nil }
        self.text = text
        self.authority = authority.lowercased()
        self.host = host.lowercased()
    }

    /// True when nobody on the way can read what is posted.
    public var isSecure: Bool { scheme == "https" }

    /// True when the host is this machine.
    public var isLocal: Bool { Self.isLocal(host: host) }

    /// Returns true when a host, in lower case and without a port, is this machine. An IPv6 address is in brackets.
    public static func isLocal(host: some StringProtocol) -> Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains { $0 == host }
    }

    /// Returns the host of `host` or `host:port`; nil when one of them is malformed.
    private static func host(_ authority: Substring) -> Substring? {
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let address = authority[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
            guard !host.isEmpty,
                host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." })
            else { return nil }
        }
        let rest = authority[host.endIndex...]
        guard !rest.isEmpty else { return host }
        let port = rest.dropFirst()
        guard rest.first == ":", port.allSatisfy(\.isNumber), let number = Int(port),
            (1...65_535).contains(number)
        else { return nil }
        return host
    }
}
