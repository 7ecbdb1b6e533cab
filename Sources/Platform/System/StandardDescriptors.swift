internal import CLinux
internal import Glibc

/// Descriptors 0, 1 and 2. The process that started this program may have left some of them closed.
public enum StandardDescriptors {
    /// What happens to writes when standard output or standard error was closed.
    public enum Output: Sendable {
        /// Writes succeed and the bytes are discarded: for a daemon whose log nobody wants.
        case discards
        /// Writes fail, as they did before: for a program whose result must not be lost silently.
        case fails
    }

    /// Opens `/dev/null` on each of the three descriptors that is closed. Call this before anything else is opened: the
    /// kernel gives out the lowest free number, and a log written to descriptor 2 would end up in whatever file got
    /// that number.
    ///
    /// Open descriptors stay as they are, also a FastCGI socket as descriptor 0.
    ///
    /// - Throws: the errno of `open`.
    public static func occupy(output: Output) throws(SystemCallError) {
        for number: Int32 in 0...2 where rt_fcntl_int(number, F_GETFD, 0) < 0 {
            let isReadOnly = number == 0 || output == .fails
            // The kernel gives the lowest free number. It is this one, because the lower ones are open by now.
            guard unsafe rt_open("/dev/null", isReadOnly ? O_RDONLY : O_WRONLY, 0) == number else {
                throw .last("open")
            }
        }
    }
}
