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

    /// True when the process has ended by itself.
    var hasEnded: Bool {
        if isRunning, Processes.reap(processID) != nil { isRunning = false }
        return !isRunning
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
            Pause.milliseconds(5)
        }
    }

    /// Waits until the process has ended by itself, and returns what it wrote.
    func finish() throws -> String {
        guard isRunning else { throw Failure("\(name) has ended") }
        isRunning = false
        let exit = Processes.wait(for: processID)
        guard exit == .exited(0) else { throw Failure("\(name) failed. \(logEnd())") }
        return try Workspace.text(of: log)
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
