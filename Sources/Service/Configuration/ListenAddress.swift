internal import System

/// The address at which the pool accepts FastCGI connections.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A unix socket, `unix:/run/retentiond/retentiond.sock`.
    case unix(path: String)
    /// A TCP socket with a numeric address, `127.0.0.1:9000` or `[::1]:9000`; `host` has no brackets.
    case internet(host: String, port: UInt16)
    /// The socket that systemd hands over in LISTEN_FDS, `systemd`.
    case systemd

    /// The address as `retentiond.json` has it.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .systemd: "systemd"
        }
    }

    /// Parses `unix:/path`, `127.0.0.1:9000`, `[::1]:9000` or `systemd`. Returns nil for any other text.
    public init?(_ text: String) {
        if text == "systemd" {
            self = .systemd
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard ConfigurationText.absolutePath.accepts(path),
                path.utf8.count <= ConfigurationLimits.socketPathBytes, !path.hasSuffix("/")
            else { return nil }
            self = .unix(path: path)
        } else {
            guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...])
            else { return nil }
            var host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            if isBracketed { host = host.dropFirst().dropLast() }
            guard NumericHost(String(host)) != nil, host.contains(":") == isBracketed else { return nil }
            self = .internet(host: String(host), port: port)
        }
    }

    /// True when only this machine can reach the address. True for systemd's socket, because its address is in the
    /// systemd unit.
    public var isLocal: Bool {
        switch self {
        case .unix, .systemd: true
        case .internet(let host, _): NumericHost(host)?.isLoopback ?? false
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(text), port > 0
        else { return nil }
        return port
    }
}
