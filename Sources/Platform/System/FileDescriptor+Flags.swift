internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Switches between blocking and non-blocking input and output (fcntl(2), O_NONBLOCK).
    ///
    /// The flag belongs to the open file, so every duplicate of this descriptor shares it.
    ///
    /// - Throws: the errno of `fcntl`.
    public borrowing func setNonBlocking(_ enabled: Bool) throws(SystemCallError) {
        let flags = rt_fcntl_int(number, F_GETFL, 0)
        guard flags >= 0 else { throw .last("fcntl") }
        let wanted = enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        guard wanted != flags else { return }
        guard rt_fcntl_int(number, F_SETFL, wanted) == 0 else { throw .last("fcntl") }
    }

    /// Does what ``setCloseOnExec(_:)`` does, for a descriptor with another owner.
    public static func setCloseOnExec(of number: Int32, _ enabled: Bool) throws(SystemCallError) {
        guard rt_fcntl_int(number, F_SETFD, enabled ? FD_CLOEXEC : 0) == 0 else { throw .last("fcntl") }
    }

    /// Sets whether exec closes this descriptor; with false the new program keeps it open (fcntl(2), FD_CLOEXEC).
    ///
    /// - Throws: the errno of `fcntl`.
    public borrowing func setCloseOnExec(_ enabled: Bool) throws(SystemCallError) {
        guard rt_fcntl_int(number, F_SETFD, enabled ? FD_CLOEXEC : 0) == 0 else { throw .last("fcntl") }
    }
}
