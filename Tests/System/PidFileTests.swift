import Support
import System
import Testing

@Suite("A pid file")
struct PidFileTests {
    @Test("names its holder for everybody, refuses a second holder, and can be removed")
    func creationAndRemoval() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "pool.pid")
        #expect(try PidFile.read(path: path) == nil)
        do {
            let file = try PidFile(creating: path)
            let contents = try PidFile.read(path: path)
            #expect(contents?.processID == Processes.current)
            #expect(contents?.ownerID == Credentials.current.userID)
            #expect(try folder.read("pool.pid") == Array("\(Processes.current)\n".utf8))
            #expect(try FileStatus(path: path).permissions == 0o644)
            #expect(try FileStatus(path: "\(path).lock").permissions == 0o600)
            let error = #expect(throws: SystemCallError.self) { _ = try PidFile(creating: path) }
            #expect(error?.code == "lock.held")
            try file.remove()
        }
        #expect(try folder.names().isEmpty)
        _ = try PidFile(creating: path)
    }

    @Test("left behind by a dead process is replaced")
    func stale() throws {
        let folder = try TemporaryDirectory()
        try folder.write("1\n", to: "pool.pid")
        try folder.write("", to: "pool.pid.lock", permissions: 0o600)
        let file = try PidFile(creating: folder.path(of: "pool.pid"))
        #expect(try PidFile.read(path: file.path)?.processID == Processes.current)
    }

    @Test("can be locked by a reader, and a supervisor starts nevertheless")
    func readerLock() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "pool.pid")
        try folder.write("1\n", to: "pool.pid")
        // The reader locks the file as flock(1) does, which needs no permission to write.
        let reader = try FileLock(path: path)
        let file = try PidFile(creating: path)
        Self.expect(file, isOurs: true)
        try reader.remove()
    }

    @Test("of another process is not removed")
    func foreign() throws {
        let folder = try TemporaryDirectory()
        let file = try PidFile(creating: folder.path(of: "pool.pid"))
        try folder.write("7\n", to: "pool.pid")
        Self.expect(file, isOurs: false)
        try file.remove()
        #expect(try folder.read("pool.pid") == Array("7\n".utf8))
    }

    @Test(
        "names one process, or is refused",
        arguments: [
            ("1", 1), ("42\n", 42), ("2147483647\n", 2_147_483_647), ("", nil), ("\n", nil), ("0\n", nil),
            ("-1\n", nil), ("-5\n", nil), ("+5\n", nil), (" 5\n", nil), ("5 \n", nil), ("5\n\n", nil),
            ("5\n6\n", nil), ("0x5\n", nil), ("five\n", nil), ("2147483648\n", nil),
            ("99999999999999999999\n", nil), (String(repeating: "1", count: 65), nil),
        ] as [(String, Int32?)]
    )
    func contents(text: String, processID: Int32?) throws {
        let folder = try TemporaryDirectory()
        try folder.write(text, to: "pool.pid")
        let path = folder.path(of: "pool.pid")
        if let processID {
            #expect(try PidFile.read(path: path)?.processID == processID)
        } else {
            let error = #expect(throws: SystemCallError.self) { try PidFile.read(path: path) }
            #expect(error?.code == "pid-file.invalid")
        }
    }

    private static func expect(_ file: borrowing PidFile, isOurs: Bool) {
        let found = file.isOurs()
        #expect(found == isOurs)
    }
}

@Suite("A lock")
struct FileLockTests {
    @Test("has one holder, until it is released")
    func singleHolder() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "lock")
        do {
            let lock = try FileLock(path: path)
            #expect(throws: SystemCallError.lockHeld) { _ = try FileLock(path: path) }
            // A process that another test starts at this moment has a copy of the descriptor until it calls exec.
            lock.unlock()
        }
        _ = try FileLock(path: path)
    }
}

@Suite("A handle of a process")
struct ProcessHandleTests {
    private static func sleeper() throws -> Int32 {
        try ChildProcess(executable: "/bin/sleep", arguments: ["sleep", "1000"], environment: []).start()
    }

    @Test("knows the user and the program of the process, and sends it a signal")
    func child() throws {
        let number = try Self.sleeper()
        let process = try #require(ProcessHandle(number))
        #expect(process.isAlive)
        #expect(process.userID == Credentials.current.userID)
        #expect(process.name == "sleep")
        try process.send(.terminate)
        #expect(Processes.wait(for: number) == .signalled(15))
        #expect(!process.isAlive)
        // No other process gets this signal.
        try process.send(.kill)
    }

    @Test("does not exist for a number that no process has", arguments: [0, -1, -5, .max, .min] as [Int32])
    func missingProcess(number: Int32) {
        let process = ProcessHandle(number)
        let isNobody = process == nil
        #expect(isNobody)
    }
}
