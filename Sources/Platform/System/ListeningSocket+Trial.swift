internal import CLinux
internal import Glibc

/// Checks whether a socket could be made, without leaving one behind.
extension ListeningSocket {
    /// Checks whether a unix socket could be made at `path`. Its directory must exist.
    ///
    /// - Throws: the error that ``init(unixPath:access:backlog:)`` would throw for the path.
    public static func check(unixPath path: String) throws(SystemCallError) {
        let address = try SocketAddress(unixPath: path)
        try removeDeadSocket(path: path, address: address, isDryRun: true)
        try Directory.checkEntryCanBeMade(path: path)
    }

    /// Binds a TCP socket and closes it again. It never listens, so no client can connect to it.
    ///
    /// - Throws: the error that ``init(host:port:backlog:)`` would throw, `system.eaddrinuse` when another socket
    ///   listens there.
    public static func check(host: String, port: UInt16) throws(SystemCallError) {
        // Even with SO_REUSEADDR bind(2) refuses an address on which another socket listens (socket(7)).
        _ = try boundSocket(at: SocketAddress(host: host, port: port))
    }
}
