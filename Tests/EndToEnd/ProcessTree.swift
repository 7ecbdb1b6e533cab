import Support
import System

/// What the kernel says about a process that a test has started, and about its children.
enum ProcessTree {
    /// The children, in the order in which they were started.
    static func children(of processID: Int32) -> [Int32] {
        let text = read("/proc/\(processID)/task/\(processID)/children") ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    /// The children whose command line has this argument, such as `--worker`.
    static func children(of processID: Int32, with argument: String) -> [Int32] {
        children(of: processID).filter { child in
            let line = read("/proc/\(child)/cmdline") ?? ""
            return line.split(separator: "\0").contains { $0 == argument }
        }
    }

    /// How many descriptors a process has open; 0 when it is gone.
    static func descriptorCount(of processID: Int32) -> Int {
        guard let directory = try? FileDescriptor.openDirectory(path: "/proc/\(processID)/fd") else {
            return 0
        }
        return (try? Directory.names(in: directory, limitCount: 100_000).count) ?? 0
    }

    /// Memory that no other process shares, in KiB.
    static func privateKilobytes(of processID: Int32) -> Int {
        let text = read("/proc/\(processID)/smaps_rollup") ?? ""
        return ["Private_Clean:", "Private_Dirty:"].reduce(0) { sum, name in
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return sum + (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        }
    }

    /// Processor time of a process with one thread, in microseconds.
    static func processorMicroseconds(of processID: Int32) -> Int {
        let text = read("/proc/\(processID)/schedstat") ?? ""
        return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) / 1000
    }

    /// Returns true when a process with this id exists and is not a zombie (ended, but not yet collected by its
    /// parent).
    static func isAlive(_ processID: Int32) -> Bool {
        guard let text = read("/proc/\(processID)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return !text[end...].hasPrefix(") Z")
    }

    /// Returns true when the process was stopped by SIGSTOP: it runs no instruction until SIGCONT.
    static func isStopped(_ processID: Int32) -> Bool {
        guard let text = read("/proc/\(processID)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return text[end...].hasPrefix(") T")
    }

    private static func read(_ path: String) -> String? {
        guard let bytes = try? SourceFile.read(path) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
