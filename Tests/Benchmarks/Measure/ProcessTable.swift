internal import System

/// Reads /proc for information about running processes.
enum ProcessTable {
    /// Returns the children of a process, in no particular order.
    static func children(of processID: Int32) throws -> [Int32] {
        try Workspace.text(of: "/proc/\(processID)/task/\(processID)/children")
            .split(separator: " ").compactMap { Int32($0) }
    }

    /// Returns the nanoseconds of processor time of all threads of these processes.
    static func processorNanoseconds(of processIDs: [Int32]) throws -> Double {
        var sum = 0.0
        for processID in processIDs {
            let folder = "/proc/\(processID)/task"
            let directory = try FileDescriptor.openDirectory(path: folder)
            for thread in try Directory.names(in: directory, limitCount: 10_000) {
                // The first number of schedstat is the time spent on a processor.
                let text = try Workspace.text(of: "\(folder)/\(thread)/schedstat")
                guard let first = text.split(separator: " ").first, let time = Double(first) else {
                    throw Failure("/proc/\(processID) has no schedstat")
                }
                sum += time
            }
        }
        return sum
    }

    /// Returns the nanoseconds of processor time of the children of a process, also of those that have ended and for which it
    /// waited (proc_pid_stat(5)).
    static func childrenNanoseconds(of processID: Int32) throws -> Double {
        // Of the children that have ended, then of each that runs: with its threads that have ended.
        try ticks(of: processID, from: 13)
            + (try children(of: processID).reduce(0) { try $0 + ticks(of: $1, from: 11) })
    }

    /// Returns the sum of two fields of /proc/PID/stat (proc(5)) behind the name, which are numbers of ticks, in nanoseconds.
    private static func ticks(of processID: Int32, from place: Int) throws -> Double {
        // The name of the program, in parentheses, may have spaces.
        let fields = try Workspace.text(of: "/proc/\(processID)/stat").split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > place + 1, let user = Double(fields[place]),
            let system = Double(fields[place + 1])
        else { throw Failure("/proc/\(processID)/stat is too short") }
        let ticks = 100.0  // A second has so many on every kernel of today (USER_HZ).
        return (user + system) / ticks * 1e9
    }

    /// Returns the bytes of memory that a process shares with no other process.
    static func privateBytes(of processID: Int32) throws -> Double {
        var sum = 0.0
        for line in try Workspace.text(of: "/proc/\(processID)/smaps_rollup").split(separator: "\n")
        where line.hasPrefix("Private_Clean:") || line.hasPrefix("Private_Dirty:") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let kibibytes = Double(words[1]) else { continue }
            sum += kibibytes * 1024
        }
        return sum
    }
}
