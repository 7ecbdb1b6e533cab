package import System

/// The server of an environment: Apple's, or a simulator.
package struct AppStoreServer: Sendable, Hashable {
    /// The environment that the server is for: Production or Sandbox.
    package let environment: Environment
    /// The scheme, the host and perhaps the port, without a slash at the end.
    package let baseURL: String
    package let isLocal: Bool

    /// Chooses the server of an environment.
    ///
    /// - Parameters:
    ///   - environment: Production or Sandbox.
    ///   - baseURL: the address of another server than Apple's: `https://host[:port]`, or `http` with 127.0.0.1,
    ///     `[::1]` or localhost. Any other address with `http` is refused, because it would send tokens over the
    ///     network in the clear.
    /// - Throws: `apple.bad-request`.
    package init(environment: Environment, baseURL: String? = nil) throws(AppStoreServerAPIError) {
        let apple: String
        switch environment {
        // Source: Apple, server update of 2026-05-05. The old names with "itunes" still work.
        case .production: apple = "https://api.storekit.apple.com"
        case .sandbox: apple = "https://api.storekit-sandbox.apple.com"
        case .xcode, .localTesting: throw .invalid("the API does not exist in \(environment.rawValue)")
        }
        self.environment = environment
        guard let baseURL else {
            self.baseURL = apple
            isLocal = false
            return
        }
        guard let address = Self.address(baseURL) else {
            throw .invalid("the base URL must be https://host[:port]; http is possible for 127.0.0.1 alone")
        }
        self.baseURL = address.text
        isLocal = address.isLocal
    }

    private static func address(_ text: String) -> (text: String, isLocal: Bool)? {
        let text = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        let authority = text[end.upperBound...]
        // The address has no user, path, query or fragment, and no character that a URL percent-encodes.
        let isPlain = authority.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        guard isPlain, (1...authorityByteCount).contains(authority.utf8.count), let host = host(authority)
        else { return nil }
        let isLocal = ReceiverURL.isLocal(host: host)
        guard scheme == "https" || scheme == "http" && isLocal else { return nil }
        return ("\(scheme)://\(authority.lowercased())", isLocal)
    }

    /// The longest host with a port, in bytes. A name in the DNS has at most 253.
    private static let authorityByteCount = 260

    /// Returns the host in lower case; nil when the port is not a number.
    private static func host(_ authority: Substring) -> String? {
        let search = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[search...].lastIndex(of: ":") else { return authority.lowercased() }
        let port = authority[authority.index(after: colon)...]
        guard let number = Int(port), (1...65_535).contains(number), port.utf8.count <= 5 else { return nil }
        return authority[..<colon].lowercased()
    }
}
