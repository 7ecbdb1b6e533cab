internal import CLinux
internal import Glibc

/// A handle on another process, through which a signal reaches that process or no process at all. It holds a descriptor
/// (pidfd_open(2)) where the kernel and its filters allow that, and else only the process number.
///
/// Get the handle first and ask what the process is afterwards. If the number went to another process in between, the
/// descriptor belongs to a process that has ended, and no signal is sent.
public struct ProcessHandle: Sendable {
    public let processID: Int32
    private let descriptor: OpenFile?

    /// Gets a handle on a process; nil when no process has this number, or the number is not above 0.
    public init?(_ processID: Int32) {
        guard processID > 0 else { return nil }
        let number = rt_pidfd_open(processID)
        if number >= 0 {
            descriptor = OpenFile(FileDescriptor(takingOwnership: number))
        } else {
            guard errno != ESRCH, Processes.exists(processID) else { return nil }
            descriptor = nil
        }
        self.processID = processID
    }

    /// True when the process still runs.
    public var isAlive: Bool {
        guard let number = descriptor?.descriptor.number else { return Processes.exists(processID) }
        // The descriptor becomes readable when the process ends.
        return ((try? Readiness.wait(for: [number], timeoutMilliseconds: 0)) ?? []).isEmpty
    }

    /// Sends `signal`. It is not an error when the process has already ended.
    ///
    /// - Throws: `system.eperm` when this process may not send it, else the errno of the call.
    public func send(_ signal: Signal) throws(SystemCallError) {
        guard let number = descriptor?.descriptor.number else {
            return try Processes.send(signal, to: processID)
        }
        guard rt_pidfd_send_signal(number, signal.rawValue) != 0, errno != ESRCH else { return }
        if errno == ENOSYS { return try Processes.send(signal, to: processID) }
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

    /// The path of the program that the process runs, as it was before its file was replaced. Nil when it cannot be read.
    public var executablePath: String? { try? Processes.executablePath(link: "/proc/\(processID)/exe") }

    /// The name that the process gave itself, see ``Processes/setName(_:)``.
    public var name: String? { Self.text("/proc/\(processID)/comm").map { String($0.prefix { $0 != "\n" }) } }

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

    /// More descriptors than any process has open here.
    private static let openFileCount = 1 << 20

    /// Returns the text of a file of proc(5); nil when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 64 << 10)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
