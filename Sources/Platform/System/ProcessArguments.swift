/// The arguments that this process was started with.
public enum ProcessArguments {
    /// More than the kernel takes: a quarter of the stack's limit, of which 8 MiB are usual (execve(2)).
    private static let limitBytes = 16 << 20

    /// Returns all arguments, the program's name first, as the kernel keeps them (`/proc/self/cmdline`).
    ///
    /// Swift's `CommandLine` looks for them beside the environment in memory. A library that is loaded before the
    /// program (`LD_PRELOAD`) and calls `setenv` moves the environment away, and the list is empty.
    ///
    /// - Throws: the errno of `open` or `read`; `system.efbig` for more than 16 MiB.
    public static func read() throws(SystemCallError) -> [String] {
        let bytes = try FileDescriptor.openForReading(path: "/proc/self/cmdline").readAll(
            limitBytes: limitBytes
        )
        // Each ends with a zero byte, the last one too, and an empty one is nothing but that byte.
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
