internal import CLinux
internal import Glibc

/// A process to start. It gets exactly the descriptors, the environment and the signal mask given here.
///
/// It is started with posix_spawn: Swift must never run in a forked child that has not called exec.
public struct ChildProcess: Sendable {
    /// The path of this program. It works even after the program's file was replaced.
    public static let ownExecutable = "/proc/self/exe"

    /// The path of the program to run.
    public var executable: String
    /// All arguments; the first is the program's name.
    public var arguments: [String]
    /// The whole environment; each entry is `NAME=value`.
    public var environment: [String]
    /// Descriptors of this process (`from`) and the numbers under which the child gets them (`to`). Besides these the
    /// child gets only 1 and 2. Its 0 is `/dev/null` unless an entry gives it one.
    public var descriptors: [(from: Int32, to: Int32)] = []
    /// True when the child starts with every signal blocked, so that it loses none before it reads them.
    public var blocksSignals = false

    /// Describes a child with no descriptors but standard output and standard error.
    public init(executable: String, arguments: [String], environment: [String]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Returns true when this process may run the file at `path`.
    static func isExecutable(path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
    }

    /// Starts the child.
    ///
    /// - Returns: the child's process number.
    /// - Throws: the errno of `fcntl`, or the error of `posix_spawn`, which is also exec's error.
    public func start() throws(SystemCallError) -> Int32 {
        // Copies the sources above every target first, so that placing a target never overwrites a source.
        let ceiling = max(64, (descriptors.map(\.to).max() ?? 0) + 1)
        var moved: [Int32] = []
        defer { for number in moved { _ = CLinux.close(number) } }
        for (source, _) in descriptors {
            let copy = rt_fcntl_int(source, F_DUPFD_CLOEXEC, ceiling)
            guard copy >= 0 else { throw .last("fcntl") }
            moved.append(copy)
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (copy, placed) in zip(moved, descriptors) {
            unsafe posix_spawn_file_actions_adddup2(&actions, copy, placed.to)
        }
        let kept = Set(descriptors.map(\.to)).union([1, 2])
        if !kept.contains(0) {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for number in 1..<ceiling where !kept.contains(number) && fcntlIsOpen(number) {
            unsafe posix_spawn_file_actions_addclose(&actions, number)
        }
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, ceiling)
        return try unsafe start(with: &actions)
    }

    private func start(with actions: inout posix_spawn_file_actions_t) throws(SystemCallError) -> Int32 {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        var defaults = sigset_t()
        if blocksSignals { unsafe sigfillset(&mask) } else { unsafe sigemptyset(&mask) }
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        let list = unsafe CStringList(arguments)
        let variables = unsafe CStringList(environment)
        var processID: pid_t = 0
        let failure = unsafe list.withPointer { argumentList in
            unsafe variables.withPointer { environmentList in
                unsafe posix_spawn(
                    &processID, executable, &actions, &attributes, argumentList, environmentList)
            }
        }
        guard failure == 0 else { throw SystemCallError(call: "posix_spawn", Errno(rawValue: failure)) }
        return processID
    }

    private func fcntlIsOpen(_ number: Int32) -> Bool { rt_fcntl_int(number, F_GETFD, 0) >= 0 }
}
