internal import CLinux
internal import Glibc

/// Finding out whether a socket could be made, for a check that makes nothing.
extension ListeningSocket {
    /// Looks whether a unix socket could be made at `path` in a directory that is there.
    ///
    /// - Throws: what ``init(unixPath:access:backlog:)`` would throw for the path.
    public static func check(unixPath path: String) throws(SystemCallError) {
        let address = try SocketAddress(unixPath: path)
        try removeDeadSocket(path: path, address: address, isTrial: true)
        try Directory.checkEntryCanBeMade(path: path)
    }

    /// Binds a TCP socket and lets go of it again. It never listens, so nobody can connect to it.
    ///
    /// - Throws: what ``init(host:port:backlog:)`` would throw, `system.eaddrinuse` when another socket listens there.
    public static func check(host: String, port: UInt16) throws(SystemCallError) {
        // In spite of SO_REUSEADDR bind(2) refuses an address on which another socket listens (socket(7)).
        _ = try boundSocket(at: SocketAddress(host: host, port: port))
    }
}
