internal import CLinux
internal import Glibc

/// The connections that wait on a listening socket until some process accepts them.
public struct ListenQueue: Sendable, Hashable {
    /// How many there are.
    public let waitingCount: Int
    /// How many may be; beyond it connecting fails at once.
    public let limitCount: Int

    /// Asks the kernel about a descriptor of this process; nil where it is no such socket, or a sandbox does not let
    /// ask: a unix socket's queue is known to netlink alone.
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
