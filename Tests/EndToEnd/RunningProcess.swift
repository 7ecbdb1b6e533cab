import Support
import Synchronization
import System

/// A program that a test has started, with its standard error and output in a file.
///
/// Tests send signals only to this process and to its children. The process is killed and collected when the test
/// releases this object, whatever happened before.
final class RunningProcess: Sendable {
    let processID: Int32
    let logPath: String
    private let exit = Mutex<ChildExit?>(nil)

    /// Starts the program `arguments[0]`, with a socket as from systemd when there is one.
    init(
        _ arguments: [String], logPath: String, environment: [String] = [],
        descriptors: [(from: Int32, to: Int32)] = [], socket: HeldSocket? = nil
    ) throws {
        self.logPath = logPath
        // The tester searches only the log of the last process with this name.
        if let former = try? SourceFile.read(logPath) {
            LogAudit.check(String(decoding: former, as: UTF8.self), of: arguments[0])
        }
        try Directory.removeFile(path: logPath)
        let log = try FileDescriptor.create(path: logPath, permissions: 0o644)
        let words = (socket == nil ? [] : HeldSocket.activation) + arguments
        var child = ChildProcess(
            executable: words[0], arguments: words,
            environment: environment + ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SWIFT_BACKTRACE=enable=no"])
        child.descriptors = [(log.number, 1), (log.number, 2)] + descriptors
        if let socket { child.descriptors.append((socket.number, ListeningSocket.firstSystemdDescriptor)) }
        processID = try child.start()
    }

    deinit {
        if !hasEnded {
            try? Processes.send(.kill, to: processID)
            _ = Processes.wait(for: processID)
        }
    }

    /// True when the process has ended. It is collected then.
    var hasEnded: Bool { collect() != nil }

    /// Returns how the process ended, or nil while it runs.
    func collect() -> ChildExit? {
        exit.withLock { stored in
            if stored == nil { stored = Processes.reap(processID) }
            return stored
        }
    }

    func send(_ signal: Signal) throws {
        guard !hasEnded else { return }
        try Processes.send(signal, to: processID)
    }

    /// Waits until the process ends, at most `seconds`. Returns nil when it still runs.
    func waitForExit(seconds: Double = 60) -> ChildExit? {
        _ = Patience.wait(seconds: seconds) { hasEnded }
        return collect()
    }

    /// What the process has written so far.
    var log: String {
        guard let bytes = try? SourceFile.read(logPath) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns how often the process has written `text`.
    func logCount(_ text: String) -> Int { log.ranges(of: text).count }

    /// Waits until the process has written `text` `count` times. Returns false when it has not, because it has ended or
    /// `seconds` have passed.
    func waitForLog(_ text: String, count: Int = 1, seconds: Double = 60) -> Bool {
        Patience.wait(seconds: seconds) { logCount(text) >= count || hasEnded } && logCount(text) >= count
    }
}

/// A listening unix socket that a test holds and its processes inherit, as systemd does it for units.
final class HeldSocket: Sendable {
    private let socket: ListeningSocket

    init(path: String) throws {
        socket = try ListeningSocket(unixPath: path, access: .init(mode: 0o666), backlog: 4096)
    }

    var number: Int32 { socket.descriptor.number }

    /// LISTEN_PID must be the number of the program's process, so a shell sets it and then becomes the program.
    static let activation = [
        "/bin/sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1; export LISTEN_PID LISTEN_FDS; exec \"$@\"", "sh",
    ]
}
