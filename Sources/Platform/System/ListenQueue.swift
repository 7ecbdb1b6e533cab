internal import CLinux
internal import Glibc

/// The queue of a listening socket: the connections that wait until a process accepts them.
public struct ListenQueue: Sendable, Hashable {
    /// The number of connections that wait.
    public let waitingCount: Int
    /// The largest number that may wait; a further connect fails at once.
    public let limitCount: Int

    /// Asks the kernel about the listening socket behind a descriptor of this process. Nil when the descriptor is no
    /// such socket, or when a sandbox refuses netlink, through which alone the kernel tells a unix socket's queue.
    public init?(ofDescriptor number: Int32) {
        var waiting: UInt32 = 0
        var limit: UInt32 = 0
        var status = stat()
        guard unsafe fstat(number, &status) == 0, rt_is_socket(status.st_mode) != 0,
            unsafe rt_tcp_queue(number, &waiting, &limit) == 0
                || rt_unix_queue(UInt64(status.st_ino), &waiting, &limit) == 0
        else { return nil }
        waitingCount = Int(waiting)
        limitCount = Int(limit)
    }
}
