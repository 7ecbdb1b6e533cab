internal import System

/// A process that the benchmark starts and stops.
final class Program {
    let processID: Int32
    private let name: String
    private let log: String
    private var isRunning = true

    /// Starts `executable`. Its standard output and standard error go to the file `NAME.log`.
    ///
    /// - Parameters:
    ///   - name: the name for messages and for the log.
    ///   - executable: the path of the program.
    ///   - arguments: its arguments, without its name.
    ///   - workspace: the folder of the log.
    ///   - environment: further entries of the environment, `NAME=VALUE`.
    ///   - core: the processor core that the process and its children use; nil for all.
    /// - Throws: the reason why the program did not start.
    init(
        _ name: String, _ executable: String, _ arguments: [String], in workspace: Workspace,
        environment: [String] = [], core: Int? = nil
    ) throws {
        self.name = name
        log = workspace.path(of: "\(name).log")
        let line = Self.commandLine(executable, arguments, core: core)
        processID = try workspace.start(
            line[0], Array(line.dropFirst()), output: "\(name).log", environment: environment)
        try workspace.note(processID)
    }

    /// Ends the process and waits until it is gone.
    func stop(_ signal: Signal = .terminate) {
        guard isRunning else { return }
        isRunning = false
        try? Processes.send(signal, to: processID)
        _ = Processes.wait(for: processID)
    }

    deinit {
        stop()
    }

    /// Waits until `condition` holds. Throws when the process ends or when `seconds` have passed.
    func wait(seconds: UInt64 = 10, until condition: () -> Bool) throws {
        let end = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
        while !condition() {
            if let exit = Processes.reap(processID) {
                isRunning = false
                throw Failure("\(name) ended: \(exit)")
            }
            guard Clock.monotonicNanoseconds() < end else {
                throw Failure("\(name) was not ready in \(seconds) s")
            }
            Clock.sleep(milliseconds: 5)
        }
    }

    /// Returns the last lines of the process's log.
    func logEnd() -> String {
        let lines = ((try? Workspace.text(of: log)) ?? "").split(separator: "\n")
        return "\(name).log ends with:\n" + lines.suffix(20).joined(separator: "\n")
    }

    /// taskset(1) becomes the program, so the process number is the program's.
    private static func commandLine(_ executable: String, _ arguments: [String], core: Int?) -> [String] {
        let pinning = core.map { ["/usr/bin/taskset", "-c", String($0)] } ?? []
        return pinning + [executable] + arguments
    }

    /// Runs a program to its end and returns the seconds that it took.
    static func seconds(_ executable: String, _ arguments: [String], in workspace: Workspace) throws -> Double
    {
        let start = Clock.monotonicNanoseconds()
        _ = try output(executable, arguments, in: workspace)
        return Double(Clock.monotonicNanoseconds() - start) / 1e9
    }

    /// Runs a program to its end, on one core if `core` names one, and returns its standard output.
    static func output(_ executable: String, _ arguments: [String], in workspace: Workspace, core: Int? = nil)
        throws -> String
    {
        let name = "output.txt"
        let line = commandLine(executable, arguments, core: core)
        let process = try workspace.start(line[0], Array(line.dropFirst()), output: name, from: [1])
        let exit = Processes.wait(for: process)
        guard exit == .exited(0) else {
            let ending = exit.map { $0.description } ?? "gone"
            throw Failure("\(executable) \(arguments.joined(separator: " ")): \(ending)")
        }
        return try Workspace.text(of: workspace.path(of: name))
    }
}

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
