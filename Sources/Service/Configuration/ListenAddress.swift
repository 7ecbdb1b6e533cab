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
}
