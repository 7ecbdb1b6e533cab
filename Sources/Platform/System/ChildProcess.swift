internal import CLinux
internal import Glibc

/// A process to start. It gets exactly the descriptors, the environment and the signal mask given here.
///
/// It is started with posix_spawn: Swift must never run in a forked child that has not called exec.
public struct ChildProcess: Sendable {
    /// The path of this program. It works even after the program's file was replaced.
    public static let ownExecutable = "/proc/self/exe"

    public var executable: String
    public var arguments: [String]
    public var environment: [String]
    /// Descriptors of this process (`from`) and the numbers under which the child gets them (`to`). Besides these the
    /// child gets only 1 and 2. Its 0 is `/dev/null` unless an entry gives it one.
    public var descriptors: [(from: Int32, to: Int32)] = []
    /// True when the child starts with every signal blocked, so that it loses none before it reads them.
    public var blocksSignals = false

    public init(executable: String, arguments: [String], environment: [String]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    static func isExecutable(path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
    }

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

public enum ChildExit: Sendable, Hashable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    public var isSuccess: Bool { self == .exited(0) }

    public var description: String {
        switch self {
        case .exited(let status): "status \(status)"
        case .signalled(let number): "signal \(number)"
        }
    }
}

/// C copies of strings in the null-terminated array that exec takes. Frees them when it is destroyed.
@unsafe struct CStringList: ~Copyable {
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            unsafe (list + index).initialize(to: strdup(string))
        }
        unsafe (list + strings.count).initialize(to: nil)
        unsafe pointers = list
        unsafe count = strings.count
    }

    deinit {
        for index in unsafe 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }

    borrowing func withPointer<Value>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        unsafe body(pointers)
    }
}
