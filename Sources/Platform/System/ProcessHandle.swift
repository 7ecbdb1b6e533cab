internal import CLinux
internal import Glibc

/// A process that is not ours, held so that a signal reaches this one or none: by a descriptor (pidfd_open(2)), where the
/// kernel and its filters allow that, else by its number alone.
///
/// What it is can be asked after it is held: if the number was given to another process in between, the descriptor
/// belongs to one that has ended, and nothing is sent.
public struct ProcessHandle: Sendable {
    /// Its number.
    public let processID: Int32
    private let descriptor: DescriptorList?

    /// Holds a process; nil when there is none with this number, or the number cannot be one.
    public init?(_ processID: Int32) {
        guard processID > 0 else { return nil }
        let number = rt_pidfd_open(processID)
        if number >= 0 {
            descriptor = DescriptorList(takingOwnership: [number])
        } else {
            guard errno != ESRCH, Processes.exists(processID) else { return nil }
            descriptor = nil
        }
        self.processID = processID
    }

    /// Whether it has not ended.
    public var isAlive: Bool {
        guard let number = descriptor?.numbers.first else { return Processes.exists(processID) }
        // The descriptor can be read once the process has ended.
        return ((try? Readiness.wait(for: [number], timeoutMilliseconds: 0)) ?? []).isEmpty
    }

    /// Sends `signal`; a process that is gone already is no failure.
    ///
    /// - Throws: `system.eperm` when that is not allowed, else the errno of the call.
    public func send(_ signal: Signal) throws(SystemCallError) {
        guard let number = descriptor?.numbers.first else { return try Processes.send(signal, to: processID) }
        guard rt_pidfd_send_signal(number, signal.rawValue) != 0, errno != ESRCH else { return }
        if errno == ENOSYS { return try Processes.send(signal, to: processID) }
        throw .last("pidfd_send_signal")
    }

    /// The user it runs as; nil when that cannot be seen, or when its real, effective and saved user differ.
    public var userID: UInt32? {
        guard let text = Self.text("/proc/\(processID)/status") else { return nil }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") }) else {
            return nil
        }
        let users = line.split(separator: "\t").dropFirst().prefix(3).map { UInt32($0) }
        guard users.count == 3, let user = users[0], users.allSatisfy({ $0 == user }) else { return nil }
        return user
    }

    /// The path of the program that it runs, also after another file was put there; nil when we may not see it.
    public var executablePath: String? { try? Processes.executablePath(link: "/proc/\(processID)/exe") }

    /// The name that it gave itself, see ``Processes/setName(_:)``.
    public var name: String? { Self.text("/proc/\(processID)/comm").map { String($0.prefix { $0 != "\n" }) } }

    /// Whether it has the file at `path` open; nil when there is no such file, or when we may not see what it has open.
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
                // It may have been closed meanwhile. Root in a container may see the names and not what they stand for.
                if error.reason != .enoent { isHidden = true }
            }
        }
        return isHidden ? nil : false
    }

    /// More than any process has open here.
    private static let openFileCount = 1 << 20

    private static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 64 << 10)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
