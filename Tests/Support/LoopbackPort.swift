internal import Glibc
public import System

/// Finds free TCP ports on 127.0.0.1.
public enum LoopbackPort {
    /// Returns `count` different ports on which nothing listens now. Another process may take a port before the test
    /// uses it; the way in which the kernel chooses ephemeral ports makes this rare.
    ///
    /// - Throws: the errno of `socket`, `bind` or `getsockname`.
    public static func free(_ count: Int) throws(SystemCallError) -> [UInt16] {
        var ports: [UInt16] = []
        var sockets: [Int32] = []
        defer { for number in sockets { _ = Glibc.close(number) } }
        for _ in 0..<count {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard number >= 0 else { throw SystemCallError(call: "socket", Errno(rawValue: errno)) }
            sockets.append(number)
            ports.append(try bindToFreePort(number))
        }
        return ports
    }

    /// A port on which somebody listens and takes no connection. The queue is full, so the kernel answers no further one.
    public struct Full {
        public let port: UInt16
        fileprivate let sockets: [Int32]

        /// Closes everything.
        public func close() { for number in sockets { _ = Glibc.close(number) } }
    }

    /// Makes a port that answers nothing, as a machine without power.
    public static func full() throws(SystemCallError) -> Full {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, kind, 0)
        let port = try bindToFreePort(listener)
        guard listen(listener, 0) == 0 else { throw SystemCallError(call: "listen", Errno(rawValue: errno)) }
        var sockets = [listener]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        for _ in 0..<4 {
            let client = socket(AF_INET, kind, 0)
            unsafe withUnsafePointer(to: &address) { pointer in
                _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    unsafe connect(client, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            sockets.append(client)
        }
        return Full(port: port, sockets: sockets)
    }

    private static func bindToFreePort(_ number: Int32) throws(SystemCallError) -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(number, generic, size) == 0 && getsockname(number, generic, &size) == 0
            }
        }
        guard outcome else { throw SystemCallError(call: "bind", Errno(rawValue: errno)) }
        return UInt16(bigEndian: address.sin_port)
    }
}
