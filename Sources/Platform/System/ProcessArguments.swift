/// The arguments that this process was started with.
public enum ProcessArguments {
    /// More bytes than the kernel accepts: a quarter of the stack limit, which is usually 8 MiB (execve(2)).
    private static let limitBytes = 16 << 20

    /// Returns all arguments, the program's name first, as the kernel keeps them (`/proc/self/cmdline`).
    ///
    /// Swift's `CommandLine` looks for the arguments beside the environment in memory. A library that is loaded before
    /// the program (`LD_PRELOAD`) and calls `setenv` moves the environment, and `CommandLine` then has no arguments.
    ///
    /// - Throws: the errno of `open` or `read`; `file.too-large` for more than 16 MiB.
    public static func read() throws(SystemCallError) -> [String] {
        let bytes = try FileDescriptor.openForReading(path: "/proc/self/cmdline").readAll(
            limitBytes: limitBytes
        )
        // A zero byte ends each argument, also the last. An empty argument is only that byte.
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
