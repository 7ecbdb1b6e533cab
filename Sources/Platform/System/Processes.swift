internal import CLinux
internal import Glibc

public enum Processes {
    public static var current: Int32 { getpid() }

    /// When the parent has ended: 1, or the number of a reaper.
    public static var parent: Int32 { getppid() }

    public static func reapAny() -> (processID: Int32, exit: ChildExit)? {
        wait(for: -1, options: WNOHANG)
    }

    public static func wait(for processID: Int32) -> ChildExit? {
        wait(for: processID, options: 0)?.exit
    }

    public static func reap(_ processID: Int32) -> ChildExit? {
        wait(for: processID, options: WNOHANG)?.exit
    }

    private static func wait(for processID: Int32, options: Int32) -> (processID: Int32, exit: ChildExit)? {
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(processID, &status, options)
            if found < 0 && errno == EINTR { continue }
            guard found > 0 else { return nil }
            if rt_wifsignaled(status) != 0 { return (found, .signalled(rt_wtermsig(status))) }
            return (found, .exited(rt_wexitstatus(status)))
        }
    }

    public static func send(_ signal: Signal, to processID: Int32) throws(SystemCallError) {
        precondition(processID > 0, "a process, never a group")
        guard CLinux.kill(processID, signal.rawValue) != 0 else { return }
        if errno != ESRCH { throw .last("kill") }
    }

    public static func exists(_ processID: Int32) -> Bool {
        processID > 0 && (CLinux.kill(processID, 0) == 0 || errno == EPERM)
    }

    static func descendants(of processID: Int32) -> [Int32] {
        guard let directory = try? FileDescriptor.openDirectory(path: "/proc"),
            let names = try? Directory.names(in: directory, limitCount: .max)
        else { return [] }
        var children: [Int32: [Int32]] = [:]
        for number in names.compactMap({ Int32($0) }) {
            guard let file = try? FileDescriptor.openForReading(path: "/proc/\(number)/stat"),
                let bytes = try? file.readAll(limitBytes: 4096)
            else { continue }
            // "NUMBER (NAME) STATE PARENT …", proc_pid_stat(5). The name may have any character.
            let fields = bytes[((bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0) + 1)...].split(separator: 0x20)
            guard fields.count > 1, let parent = Int32(String(decoding: fields[1], as: UTF8.self)) else {
                continue
            }
            children[parent, default: []].append(number)
        }
        var found = children[processID] ?? []
        var next = 0
        while next < found.count {
            found += children[found[next]] ?? []
            next += 1
        }
        return found
    }

    /// Sets the name of this process for `ps` and `top`; the kernel keeps 15 bytes.
    public static func setName(_ name: String) {
        _ = unsafe name.withCString { text in
            unsafe rt_prctl(PR_SET_NAME, UInt(bitPattern: UnsafeRawPointer(text)))
        }
    }

    /// Keeps the memory of this process out of core dumps, and its limit from its children's. A program to which the kernel
    /// pipes dumps (core(5)) may ignore the limit, so the process is not dumpable either.
    public static func forbidCoreDumps() throws(SystemCallError) {
        try ResourceLimits.set(.core, to: 0)
        guard rt_prctl(PR_SET_DUMPABLE, 0) == 0 else { throw .last("prctl") }
    }

    public static func setParentDeathSignal(_ signal: Signal) throws(SystemCallError) {
        guard rt_prctl(PR_SET_PDEATHSIG, UInt(signal.rawValue)) == 0 else { throw .last("prctl") }
    }

    public static func exit(_ status: Int32) -> Never {
        CLinux._exit(status)
    }
}

/// A handle on another process (pidfd_open(2)), through which a signal reaches that process or no process at all.
///
/// Get the handle first and ask what the process is afterwards. If the number went to another process in between, the
/// handle belongs to a process that has ended, and no signal is sent.
public struct ProcessHandle: Sendable {
    public let processID: Int32
    private let descriptor: OpenFile

    public init?(_ processID: Int32) {
        let number = processID > 0 ? rt_pidfd_open(processID) : -1
        guard number >= 0 else { return nil }
        descriptor = OpenFile(FileDescriptor(takingOwnership: number))
        self.processID = processID
    }

    public var isAlive: Bool {
        // The descriptor becomes readable when the process ends.
        (try? Readiness.wait(for: [descriptor.descriptor.number], timeoutMilliseconds: 0))?.isEmpty ?? true
    }

    public func send(_ signal: Signal) throws(SystemCallError) {
        guard rt_pidfd_send_signal(descriptor.descriptor.number, signal.rawValue) != 0, errno != ESRCH else {
            return
        }
        throw .last("pidfd_send_signal")
    }

    /// The user that the process runs as. Nil when it cannot be read, or when real, effective and saved user differ.
    public var userID: UInt32? {
        guard let text = Self.text("/proc/\(processID)/status") else { return nil }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") }) else {
            return nil
        }
        let users = line.split(separator: "\t").dropFirst().prefix(3).map { UInt32($0) }
        guard users.count == 3, let user = users[0], users.allSatisfy({ $0 == user }) else { return nil }
        return user
    }

    public var name: String? {
        Self.text("/proc/\(processID)/comm").map { String($0.prefix { $0 != "\n" }) }
    }

    static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 64 << 10)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

public enum ProcessArguments {
    /// Returns all arguments, the program's name first, as the kernel keeps them (`/proc/self/cmdline`).
    /// Swift's `CommandLine` looks for the arguments beside the environment in memory. A library that is loaded before
    /// the program (`LD_PRELOAD`) and calls `setenv` moves the environment, and `CommandLine` then has no arguments.
    public static func read() throws(SystemCallError) -> [String] {
        let file = try FileDescriptor.openForReading(path: "/proc/self/cmdline")
        let bytes = try file.readAll(limitBytes: 16 << 20)
        // A zero byte ends each argument, also the last. An empty argument is only that byte.
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

public enum ProcessEnvironment {
    public static func value(of name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    public static func all(excludingPrefixes prefixes: [String] = []) -> [String] {
        var found: [String] = []
        guard var cursor = unsafe rt_environ() else { return [] }
        while let text = unsafe cursor.pointee {
            let variable = unsafe String(cString: text)
            if !prefixes.contains(where: { variable.hasPrefix($0) }) { found.append(variable) }
            unsafe cursor += 1
        }
        return found
    }

    public static func remove(_ name: String) {
        unsafe unsetenv(name)
    }
}

public enum BuildTools {
    public static var compiler: String { unsafe String(cString: rt_compiler()) }
}

/// A process to start. It gets exactly the descriptors, the environment and the signal mask given here.
///
/// It is started with posix_spawn: Swift must never run in a forked child that has not called exec.
public struct ChildProcess: Sendable {
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
        for number in 1..<ceiling where !kept.contains(number) && rt_fcntl_int(number, F_GETFD, 0) >= 0 {
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

        let list = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (list + variables).forEach { unsafe free($0) } }
        var processID: pid_t = 0
        let failure = unsafe posix_spawn(&processID, executable, &actions, &attributes, list, variables)
        guard failure == 0 else { throw SystemCallError(call: "posix_spawn", Errno(rawValue: failure)) }
        return processID
    }
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

/// A program that is run to its end, within a time and with a limited output. It reads nothing: its standard input is
/// `/dev/null`.
public struct Subprocess: Sendable {
    public struct Result: Sendable {
        public let exit: ChildExit?
        public let output: [UInt8]
        public let errors: [UInt8]
        public let isTruncated: Bool
    }

    public var executable: String
    public var arguments: [String]
    public var environment: [String]
    public var timeoutMilliseconds: Int64 = 120_000
    public var outputByteCount = 1 << 20

    private static let graceMilliseconds: Int64 = 2000
    private static let tickMilliseconds: Int32 = 10

    public init(executable: String, arguments: [String], environment: [String]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the program and waits until it has ended, or until its time is over: then it and all processes that it has
    /// started get SIGTERM, and SIGKILL two seconds later. They have no process group of their own, in which ssh could not
    /// ask on the terminal for a password. A process that the program leaves behind may keep the outputs open, as ssh does
    /// for a shared connection, so the end of the program counts.
    public func run() throws(SystemCallError) -> Result {
        try StreamSocket.makePair().split { outputs, theirOutputs throws(SystemCallError) in
            try StreamSocket.makePair().split { errors, theirErrors throws(SystemCallError) in
                try theirOutputs.descriptor.setNonBlocking(false)
                try theirErrors.descriptor.setNonBlocking(false)
                var child = ChildProcess(
                    executable: executable, arguments: arguments, environment: environment)
                child.descriptors = [(theirOutputs.descriptor.number, 1), (theirErrors.descriptor.number, 2)]
                return wait(for: try child.start(), outputs, errors)
            }
        }
    }

    private func wait(
        for processID: Int32, _ outputs: borrowing StreamSocket, _ errors: borrowing StreamSocket
    ) -> Result {
        var output = Collected(limit: outputByteCount)
        var error = Collected(limit: outputByteCount)
        let end = Self.now + timeoutMilliseconds
        var exit: ChildExit?
        var signal: Signal?
        // What the program has started. It is known only while the program runs.
        var below: [Int32] = []
        while true {
            if exit == nil { exit = Processes.reap(processID) }
            output.read(outputs)
            error.read(errors)
            if exit != nil, signal == nil || signal == .kill || !below.contains(where: Processes.exists) {
                return Result(
                    exit: signal == nil ? exit : nil, output: output.bytes, errors: error.bytes,
                    isTruncated: output.isTruncated || error.isTruncated)
            }
            let now = Self.now
            let next: Signal? = now < end ? nil : now < end + Self.graceMilliseconds ? .terminate : .kill
            if let next, next != signal {
                signal = next
                if exit == nil { below += Processes.descendants(of: processID) }
                let running = exit == nil ? [processID] : []
                for number in below + running { try? Processes.send(next, to: number) }
            }
            _ = try? Readiness.wait(
                for: [outputs.descriptor.number, errors.descriptor.number],
                timeoutMilliseconds: Self.tickMilliseconds)
        }
    }

    private static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }

    private struct Collected {
        let limit: Int
        private(set) var bytes: [UInt8] = []
        private(set) var isTruncated = false
        private var block = [UInt8](repeating: 0, count: 65_536)

        init(limit: Int) { self.limit = limit }

        mutating func read(_ socket: borrowing StreamSocket) {
            while case .bytes(let count) = socket.receive(into: &block) {
                let kept = min(count, limit - bytes.count)
                bytes += block[..<kept]
                if kept < count { isTruncated = true }
            }
        }
    }

    public static func path(of name: String, searchPath: String) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else { return name }
        // An empty entry means the current directory, from which nothing is run by accident.
        let candidates = searchPath.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { path in
            let isExecutable = unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
            return isExecutable && (try? FileStatus(path: path))?.kind == .regular
        }
    }
}

/// The resource limits of this process, which its children inherit (setrlimit(2)).
public enum ResourceLimits {
    public enum Resource: Sendable {
        case addressSpace
        case core
        case processorSeconds

        fileprivate var number: __rlimit_resource_t {
            switch self {
            case .addressSpace: Int32(RLIMIT_AS.rawValue)
            case .core: Int32(RLIMIT_CORE.rawValue)
            case .processorSeconds: Int32(RLIMIT_CPU.rawValue)
            }
        }
    }

    public static func set(_ resource: Resource, to value: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(resource.number, &limit) == 0 else { throw .last("getrlimit") }
        limit.rlim_max = min(limit.rlim_max, rlim_t(value))
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(resource.number, &limit) == 0 else { throw .last("setrlimit") }
    }

    public static func openDescriptors() throws(SystemCallError) -> UInt64 {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        return UInt64(limit.rlim_cur)
    }

    public static func raiseOpenDescriptors(to ceiling: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        guard limit.rlim_cur < ceiling else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(ceiling))
        guard unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("setrlimit") }
    }
}

public enum Accounts {
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return UInt32(name)
        }
        return unsafe entry.gr_gid
    }

    public static func groupName(_ groupID: UInt32) -> String {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrgid_r(groupID, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.gr_name
        else { return String(groupID) }
        return unsafe String(cString: name)
    }

    public static func userName(_ userID: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getpwuid_r(userID, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.pw_name
        else { return String(userID) }
        return unsafe String(cString: name)
    }
}

public struct Credentials: Sendable, Hashable {
    public let userID: UInt32
    public let groupID: UInt32
    public let groupIDs: [UInt32]

    public static var current: Credentials {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let found = unsafe getgroups(count, &groups)
        return Credentials(
            userID: geteuid(), groupID: getegid(), groupIDs: Array(groups.prefix(Int(max(0, found)))))
    }

    public static var isPrivileged: Bool { geteuid() == 0 }

    /// The names of the user and the groups, as in `user retentiond, group retentiond, also in www-data`.
    public var names: String {
        let others = Set(groupIDs).subtracting([groupID]).sorted().map(Accounts.groupName)
        let own = "user \(Accounts.userName(userID)), group \(Accounts.groupName(groupID))"
        return others.isEmpty ? own : "\(own), also in \(others.joined(separator: ", "))"
    }
}
