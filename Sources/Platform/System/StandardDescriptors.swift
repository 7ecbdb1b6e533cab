internal import CLinux
internal import Glibc

/// Descriptors 0, 1 and 2, which whoever starts a program may have left closed.
public enum StandardDescriptors {
    /// What a standard output and a standard error that were closed do from now on.
    public enum Output: Sendable {
        /// They take everything and keep nothing, for a daemon whose log nobody wants.
        case discards
        /// Writing to them fails, as it did, for a program whose result must not be lost without a word.
        case fails
    }

    /// Opens `/dev/null` on each of the three that is closed. Call this before anything else is opened: the kernel gives
    /// the lowest free number away, and a log written to descriptor 2 would end in the file that has got it.
    ///
    /// Descriptors that are open stay as they are, a FastCGI socket as descriptor 0 too.
    ///
    /// - Throws: the errno of `open`.
    public static func occupy(output: Output) throws(SystemCallError) {
        for number: Int32 in 0...2 where rt_fcntl_int(number, F_GETFD, 0) < 0 {
            let isReadOnly = number == 0 || output == .fails
            // The lowest free number is this one, because those below it are open by now.
            guard unsafe rt_open("/dev/null", isReadOnly ? O_RDONLY : O_WRONLY, 0) == number else {
                throw .last("open")
            }
        }
    }
}
