internal import CLinux
internal import Glibc

extension ListeningSocket {
    /// The ways in which a listening socket can come to this process.
    public enum Inheritance: Sendable, Hashable {
        /// systemd's LISTEN_FDS names this process (sd_listen_fds(3)): `count` sockets, from descriptor 3 on.
        case systemd(count: Int)
        /// Descriptor 0 is a listening socket: FastCGI's own way, which spawn-fcgi, mod_fcgid and lighttpd use.
        case standardInput
        /// No socket was handed over.
        case none
    }

    /// The first descriptor that systemd hands over.
    public static let firstSystemdDescriptor: Int32 = 3

    /// Finds out which way a socket was handed to this process. systemd's variables come before descriptor 0.
    public static func inheritance() -> Inheritance {
        if let count = systemdCount(), count > 0 { return .systemd(count: count) }
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(0, SOL_SOCKET, SO_ACCEPTCONN, &value, &size)
        return result == 0 && value != 0 ? .standardInput : .none
    }

    /// Returns LISTEN_FDS. Nil unless both variables are set and well-formed and LISTEN_PID is this process.
    private static func systemdCount() -> Int? {
        guard let process = number(of: "LISTEN_PID"), process == Int(getpid()) else { return nil }
        return number(of: "LISTEN_FDS")
    }

    private static func number(of variable: String) -> Int? {
        guard let text = unsafe getenv(variable) else { return nil }
        return unsafe Int(String(cString: text))
    }
}
