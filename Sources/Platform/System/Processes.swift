internal import CLinux
internal import Glibc

/// This process, its children, and signals to other processes.
public enum Processes {
    /// The number of this process.
    public static var current: Int32 { getpid() }

    /// The number of the parent process. When the parent has ended: 1, or the number of a reaper.
    public static var parent: Int32 { getppid() }

    /// Collects one child that has ended. Returns nil when no child has.
    public static func reapAny() -> (processID: Int32, exit: ChildExit)? {
        wait(for: -1, options: WNOHANG)
    }

    /// Waits until the child `processID` has ended. Returns nil when there is no such child.
    public static func wait(for processID: Int32) -> ChildExit? {
        wait(for: processID, options: 0)?.exit
    }

    /// Collects the child `processID` if it has ended, and returns how. Nil while it runs.
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

    /// Sends `signal` to a process. It is not an error when the process has already ended.
    public static func send(_ signal: Signal, to processID: Int32) throws(SystemCallError) {
        precondition(processID > 0, "a process, never a group")
        guard CLinux.kill(processID, signal.rawValue) != 0 else { return }
        if errno != ESRCH { throw .last("kill") }
    }

    public static func exists(_ processID: Int32) -> Bool {
        processID > 0 && (CLinux.kill(processID, 0) == 0 || errno == EPERM)
    }

    /// Returns the processes that `processID` has started, those that they have started, and so on.
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

    /// Makes the kernel send `signal` to this process when its parent ends.
    public static func setParentDeathSignal(_ signal: Signal) throws(SystemCallError) {
        guard rt_prctl(PR_SET_PDEATHSIG, UInt(signal.rawValue)) == 0 else { throw .last("prctl") }
    }

    /// Ends this process at once, without running exit handlers.
    public static func exit(_ status: Int32) -> Never {
        CLinux._exit(status)
    }

    /// Returns the path of this program's file as it was at the start, without ` (deleted)`.
    public static func executablePath() throws(SystemCallError) -> String {
        try executablePath(link: ChildProcess.ownExecutable)
    }

    /// Reads a link to a process's program (proc(5), `/proc/PID/exe`) and removes ` (deleted)` from the end.
    static func executablePath(link: String) throws(SystemCallError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        guard count >= 0 else { throw .last("readlink") }
        let path = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let suffix = " (deleted)"
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }
}
