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

    public static func executablePath() throws(SystemCallError) -> String {
        try executablePath(link: ChildProcess.ownExecutable)
    }

    static func executablePath(link: String) throws(SystemCallError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        guard count >= 0 else { throw .last("readlink") }
        let path = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let suffix = " (deleted)"
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
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

    public var executablePath: String? { try? Processes.executablePath(link: "/proc/\(processID)/exe") }

    public var name: String? {
        Self.text("/proc/\(processID)/comm").map { String($0.prefix { $0 != "\n" }) }
    }

    /// Returns whether the process has the file at `path` open. Nil when the file does not exist, or when we may not
    /// see the process's open files.
    public func hasOpen(path: String) -> Bool? {
        let folder = "/proc/\(processID)/fd"
        guard let identity = try? FileStatus(path: path).identity,
            let directory = try? FileDescriptor.openDirectory(path: folder),
            let names = try? Directory.names(in: directory, limitCount: Self.openFileCount)
        else { return nil }
        var isHidden = false
        for name in names {
            do throws(SystemCallError) {
                if try FileStatus(path: "\(folder)/\(name)").identity == identity { return true }
            } catch {
                // The descriptor may be closed by now. Root in a container may see the names but not the files.
                if error.reason != .enoent { isHidden = true }
            }
        }
        return isHidden ? nil : false
    }

    private static let openFileCount = 1 << 20

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
