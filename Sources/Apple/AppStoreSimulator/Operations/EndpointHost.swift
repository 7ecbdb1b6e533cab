internal import System

/// The host of a real-time URL, and the rule which hosts the simulator calls.
public struct EndpointHost: Sendable, Hashable {
    /// The host in lower case, an IPv6 address without its brackets.
    public let name: String

    /// Reads the host of an absolute https URL (RFC 3986, section 3.2.2). Returns nil for any other text, and for a URL with a
    /// user name, a character outside ASCII or a port that is not a number.
    public init?(url: String) {
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
            return nil
        }
        let authority = url.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard NumericHost(String(host)) != nil, host.contains(":"), rest.isEmpty || rest.hasPrefix(":")
            else {
                return nil
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        if let port { guard let number = UInt16(port), number > 0, !port.hasPrefix("+") else { return nil } }
        let isName = host.utf8.allSatisfy { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            default: "0123456789.-".utf8.contains(byte)
            }
        }
        guard !host.isEmpty, isName || authority.hasPrefix("[") else { return nil }
        name = host.lowercased()
    }

    /// Returns true when the simulator may call the host: this machine by its address or as `localhost`, or one of the hosts
    /// that the user has allowed.
    public func isAllowed(by allowedHosts: [String]) -> Bool {
        name == "localhost" || NumericHost(name)?.isLoopback == true
            || allowedHosts.contains { $0.lowercased() == name }
    }
}
