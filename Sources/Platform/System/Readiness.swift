internal import CLinux
internal import Glibc

/// Waits for a handful of descriptors (poll(2)).
public enum Readiness {
    /// Waits until one of `descriptors` can be read or has lost its other end, for at most `timeoutMilliseconds`. A
    /// negative timeout waits without a limit.
    ///
    /// - Returns: the indexes of those descriptors; empty when the time is over or a signal came.
    public static func wait(for descriptors: [Int32], timeoutMilliseconds: Int32) throws(SystemCallError)
        -> [Int]
    {
        var list = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = unsafe poll(&list, nfds_t(list.count), timeoutMilliseconds)
        if count < 0 && errno == EINTR { return [] }
        guard count >= 0 else { throw .last("poll") }
        return list.indices.filter { list[$0].revents != 0 }
    }
}
