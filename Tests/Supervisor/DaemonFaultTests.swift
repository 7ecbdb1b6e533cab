import Cryptography
import Support
import System
import Testing

/// Faults that keep the daemon from starting. `-t` finds each of them before the start.
extension DaemonTests {
    @Test("refuses a fault with the same code in -t and at its start", arguments: StartFault.all)
    func startFault(fault: StartFault) throws {
        let pool = try PoolProcess()
        let kept = try fault.prepare(pool)
        let check = try Self.expectRefusal(of: pool, fault.code)
        #expect(check.errors.contains(fault.sentence), "\(check.errors)")
        withExtendedLifetime(kept) {}
    }

    @Test(
        "refuses alike in -t and at its start when its user lacks a right, and names that user",
        .enabled(if: PoolProcess.canBecomeOthers),
        arguments: StartFault.ofUser
    )
    func userFault(fault: StartFault) throws {
        let pool = try PoolProcess.ofUnit()
        let kept = try fault.prepare(pool)
        let check = try Self.expectRefusal(of: pool, fault.code)
        #expect(check.errors.contains("Permission denied as nobody"), "\(check.errors)")
        withExtendedLifetime(kept) {}
    }

    @Test("passes -t while its own pool uses the socket and the port")
    func running() throws {
        let pool = try PoolProcess().start()
        #expect(try pool.run(["-t"]).status == 0)
        try pool.send(.quit)
        _ = pool.waitForEnd()
        pool.listen = "127.0.0.1:\(try LoopbackPort.free(1)[0])"
        try pool.configure()
        try pool.start()
        let run = try pool.run(["-t"])
        #expect(run.status == 0, "\(run.errors)")
    }

    /// Runs -t, then a start, and expects both to be refused with this code.
    @discardableResult
    static func expectRefusal(of pool: PoolProcess, _ code: String) throws -> ProgramRun {
        let check = try pool.run(["-t"])
        #expect(check.status != 0 && check.errors.contains("(\(code))"), "\(check.errors)")
        #expect(check.errors.contains("test failed") && !check.errors.contains("successful"))
        try pool.start(waiting: false)
        try pool.wait(for: "code=\(code)")
        let exit = pool.waitForEnd()
        #expect(exit != .exited(0), "\(pool.lines)")
        if code.hasPrefix("supervisor.") || code == "runs-as-root" { #expect(exit == check.exit) }
        return check
    }
}

/// A fault around a pool, and the code with which the daemon refuses it.
struct StartFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    /// The text that -t prints about the fault, beside the path; empty where the code is enough.
    let sentence: String
    /// Causes the fault. The returned object must live as long as the fault.
    let prepare: @Sendable (PoolProcess) throws -> AnyObject?

    private init(
        _ description: String, _ code: String, _ sentence: String = "",
        _ prepare: @escaping @Sendable (PoolProcess) throws -> AnyObject?
    ) {
        testDescription = description
        self.code = code
        self.sentence = sentence
        self.prepare = prepare
    }

    /// Faults for every user that runs the pool.
    static let all = [
        StartFault("no directory for the decision log", "decisions-unwritable") {
            try $0.configure(#", "log": {"decisions": "\#($0.folder.path)/nowhere/decisions"}"#)
            return nil
        },
        StartFault("a directory where the decision log should be", "decisions-unwritable") {
            try $0.folder.makeDirectory("decisions")
            try $0.configure(#", "log": {"decisions": "\#($0.folder.path)/decisions"}"#)
            return nil
        },
        StartFault("no directory for the error log", "error-log-unwritable", "/nowhere/log: ") {
            try $0.configure(#", "log": {"errorLog": "\#($0.folder.path)/nowhere/log"}"#)
            return nil
        },
        StartFault("a directory where the error log should be", "error-log-unwritable") {
            try $0.configure(#", "log": {"errorLog": "\#($0.folder.path)"}"#)
            return nil
        },
        StartFault("an error log that is a FIFO without a reader", "error-log-unwritable") {
            _ = try ProgramRun.run("mkfifo", [$0.folder.path(of: "fifo")])
            try $0.configure(#", "log": {"errorLog": "\#($0.folder.path)/fifo"}"#)
            return nil
        },
        StartFault(
            "a regular file where the socket should be", "supervisor.unavailable",
            ": something other than a socket is there"
        ) {
            try $0.folder.makeDirectory("run", permissions: 0o750)
            try $0.folder.write("precious", to: "run/retentiond.sock")
            return nil
        },
        StartFault(
            "another listener on the socket", "supervisor.unavailable",
            ": already in use: another process accepts connections there"
        ) {
            try $0.folder.makeDirectory("run", permissions: 0o750)
            return Listener(
                try ListeningSocket(unixPath: $0.socketPath, access: .init(mode: 0o660), backlog: 4)
            )
        },
        StartFault("another listener on the port", "supervisor.unavailable") {
            let taken = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 4)
            $0.listen = "127.0.0.1:\(taken.port)"
            try $0.configure()
            return Listener(taken)
        },
        StartFault("no parent of the socket's directory", "supervisor.unavailable") {
            $0.listen = "unix:\($0.folder.path)/nowhere/run/s"
            try $0.configure()
            return nil
        },
        StartFault("a file where the directory of the socket should be", "supervisor.unavailable") {
            try $0.folder.write("file", to: "run")
            return nil
        },
        StartFault("no directory for the pid file", "supervisor.unavailable") {
            $0.pidPath = $0.folder.path(of: "nowhere/pid")
            try $0.configure()
            return nil
        },
        StartFault(
            "a directory where the pid file should be", "supervisor.unavailable",
            "/pid is a directory (supervisor.unavailable)"
        ) {
            try $0.folder.makeDirectory("pid")
            return nil
        },
        StartFault("no directory for the state directory", "supervisor.unavailable") {
            try $0.configure(#", "stateDirectory": "\#($0.folder.path)/no/state""#, isStateNamed: false)
            return nil
        },
        StartFault("no data directory", "data-directory-unreadable") {
            try Directory.removeFile(path: $0.folder.path(of: "data/one.rules.json"))
            try Directory.removeEmpty(path: $0.folder.path(of: "data"))
            return nil
        },
        StartFault("a data directory that everybody can write", "data-directory-writable") {
            try Directory.setPermissions(path: $0.folder.path(of: "data"), to: 0o777)
            return nil
        },
        StartFault("no such group for the socket", "supervisor.unknown-account") {
            $0.group = "no-such-group"
            try $0.configure()
            return nil
        },
        StartFault("no anchor", "anchor-unreadable") {
            try $0.configure(#", "anchors": ["\#($0.folder.path)/nowhere.pem"]"#)
            return nil
        },
        StartFault("an identifier key that everybody can read", "identifier-key-exposed") {
            let key = $0.folder.path(of: "key")
            try $0.folder.write(String(repeating: "0a", count: 32), to: "key", permissions: 0o644)
            let log = #""log": {"decisions": "\#($0.folder.path)/decisions"}"#
            try $0.configure(#", "identifierKeyFile": "\#(key)", \#(log)"#)
            return nil
        },
    ]

    /// Faults only for a pool that does not run as root.
    static let ofUser = [
        StartFault("a socket directory that the user cannot write", "supervisor.unavailable") {
            try $0.give("run", to: "root:www-data")
            return nil
        },
        StartFault("a pid file that the user cannot write", "supervisor.unavailable") {
            $0.pidPath = $0.folder.path(of: "pid")
            try $0.configure()
            return nil
        },
        StartFault("a state directory that the user cannot make", "supervisor.unavailable") {
            try Directory.removeEmpty(path: $0.folder.path(of: "state"))
            return nil
        },
        StartFault("a lock of the pid file that another user left", "supervisor.unavailable") {
            try $0.folder.write("", to: "run/retentiond.pid.lock", permissions: 0o600)
            return nil
        },
        StartFault("a configuration that only root can read", "configuration-unreadable") {
            try Directory.setPermissions(path: $0.configurationPath, to: 0o600)
            return nil
        },
        StartFault("an anchor that only root can read", "anchor-unreadable") {
            let path = $0.folder.path(of: "root.pem")
            try $0.folder.write(
                try AppleCertificates.rootG3.certificate().pem, to: "root.pem", permissions: 0o600)
            try $0.configure(#", "anchors": ["\#(path)"]"#)
            return nil
        },
        StartFault("a data file that only root can read", "file-unreadable") {
            try Directory.setPermissions(path: $0.folder.path(of: "data/one.rules.json"), to: 0o600)
            return nil
        },
        StartFault("a decision log that only root can write", "decisions-unwritable") {
            try $0.folder.write("", to: "decisions", permissions: 0o600)
            try $0.configure(#", "log": {"decisions": "\#($0.folder.path)/decisions"}"#)
            return nil
        },
        StartFault("an error log that only root can write", "error-log-unwritable") {
            try $0.folder.write("", to: "errors", permissions: 0o600)
            try $0.configure(#", "log": {"errorLog": "\#($0.folder.path)/errors"}"#)
            return nil
        },
        StartFault("a directory of the decision log that the user cannot write", "decisions-unwritable") {
            try $0.configure(#", "log": {"decisions": "\#($0.folder.path)/decisions"}"#)
            return nil
        },
    ]

    /// Holds a socket open.
    private final class Listener {
        let socket: ListeningSocket
        init(_ socket: consuming ListeningSocket) { self.socket = socket }
    }
}
