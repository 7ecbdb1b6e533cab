import JSON
import Support
import System
import Telemetry
import Testing
import Vocabulary

@Suite("The log of decision records")
struct DecisionLogTests {
    static let line = #"{"sequence":41}"# + "\n"

    private static func text(_ folder: TemporaryDirectory, _ name: String) throws -> String {
        String(decoding: try folder.read(name), as: UTF8.self)
    }

    @Test("is accompanied by marks, which are lines of their own")
    func marks() {
        let mark = DecisionMark(
            .minute,
            timeMilliseconds: 1_795_225_939_123,
            instance: "00f1e2d3c4b5a697",
            sequence: 18_446_744_073_709_551_615,
            identifierKey: "0123456789abcdef"
        )
        let expected =
            #"{"mark":"minute","time":"2026-11-21T01:52:19.123Z","instance":"00f1e2d3c4b5a697","#
            + #""sequence":18446744073709551615,"identifierKey":"0123456789abcdef"}"# + "\n"
        #expect(String(decoding: mark.line, as: UTF8.self) == expected)
    }

    @Test("is appended to the file, and to a new file after a rotation")
    func rotation() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "decisions.ndjson")
        try folder.write("before\n", to: "decisions.ndjson")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        let line = Self.line
        log.append(Self.line)
        #expect(try Self.text(folder, "decisions.ndjson") == "before\n" + line)
        try Directory.rename(path, to: folder.path(of: "decisions.1"))
        log.append(Self.line)
        try log.reopen()
        log.append(Self.line)
        #expect(try Self.text(folder, "decisions.1") == "before\n" + line + line)
        #expect(try Self.text(folder, "decisions.ndjson") == line)
        #expect(counters.value(.decisionsWritten) == 3 && counters.value(.decisionsDropped) == 0)
    }

    @Test(
        "that cannot be written is dropped and counted",
        arguments: [("/dev/full", nil), ("fifo", "system.enxio"), ("missing/d", "system.enoent")]
    )
    func dropped(name: String, code: String?) throws {
        let folder = try TemporaryDirectory()
        let path = name.hasPrefix("/") ? name : folder.path(of: name)
        if name == "fifo" {
            let maker = ChildProcess(
                executable: "/usr/bin/mkfifo",
                arguments: ["mkfifo", path],
                environment: []
            )
            _ = Processes.wait(for: try maker.start())
        }
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        #expect(log.isOpen == (name == "/dev/full"))
        for _ in 0..<3 { #expect(!log.append(Self.line)) }
        var found: String?
        do throws(SystemCallError) { try log.reopen() } catch { found = error.code }
        #expect(found == code)
        #expect(counters.value(.decisionsWritten) == 0 && counters.value(.decisionsDropped) == 3)
    }

    @Test("goes into the file that was open while the path cannot be opened")
    func notReopened() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "d")
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: path, counters: counters)
        try Directory.rename(path, to: "\(path).1")
        try folder.makeDirectory("d")
        #expect(throws: SystemCallError.self) { try log.reopen() }
        #expect(log.append(Self.line))
        #expect(try Self.text(folder, "d.1") == Self.line)
        try Directory.removeEmpty(path: path)
        try log.reopen()
        #expect(log.append(Self.line))
        #expect(try Self.text(folder, "d") == Self.line)
        #expect(counters.value(.decisionsDropped) == 0)
    }

    @Test("waits for others and is written with them, and each that cannot be written counts")
    func together() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let line = Self.line
        let long = String(repeating: "x", count: LineOutput.lineBytes) + "\n"
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        for isLong in [false, true, false] { log.add { $0.append(string: isLong ? long : line) } }
        #expect(log.waitingCount == 3)
        #expect(try folder.read("d").isEmpty)
        log.write()
        #expect(try Self.text(folder, "d") == line + line)
        #expect(counters.value(.decisionsWritten) == 2 && counters.value(.decisionsDropped) == 1)
        #expect(log.waitingCount == 0 && log.takeDrops() && !log.takeDrops())
        log.write()
        #expect(counters.value(.decisionsWritten) == 2)

        // What waits goes into the old file when the log is rotated.
        log.add { $0.append(string: line) }
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        try log.reopen()
        #expect(try Self.text(folder, "d.1") == line + line + line)
        #expect(try folder.read("d").isEmpty)

        let full = DecisionLog(path: "/dev/full", counters: counters)
        for _ in 0..<5 { full.add { $0.append(string: line) } }
        full.write()
        #expect(counters.value(.decisionsWritten) == 3 && counters.value(.decisionsDropped) == 6)
    }

    @Test("does not wait when much waits")
    func bounded() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        let line = Self.line
        let count = (65_536 + line.utf8.count - 1) / line.utf8.count
        for _ in 0..<count - 1 { log.add { $0.append(string: line) } }
        #expect(try folder.read("d").isEmpty)
        log.add { $0.append(string: line) }
        #expect(try folder.read("d").count == count * line.utf8.count && log.waitingCount == 0)
    }

    @Test("that is dropped leads to a warning: the first one, then one a minute over all processes")
    func dropWarning() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let processes = try (0..<2).map { _ in try SharedCountersTests.share(counters, codes: []) }
        func claims(_ process: Int, at time: UInt64) -> Bool {
            DecisionLog.claimDropWarning(processes[process], atNanoseconds: time)
        }
        let second: UInt64 = 1_000_000_000
        let asked: [(log: Int, at: UInt64, mayTell: Bool)] = [
            (0, 5 * second, true), (0, 5 * second, false), (1, 5 * second, false), (1, 30 * second, false),
            (1, 65 * second - 1, false), (1, 65 * second, true), (0, 65 * second, false),
            (0, 124 * second, false), (1, 1000 * second, true), (0, 1000 * second, false),
        ]
        for (log, time, mayTell) in asked {
            #expect(claims(log, at: time) == mayTell, "\(log) at \(time)")
        }
        // The clock starts again after another boot.
        #expect(claims(0, at: second))
        #expect(!claims(1, at: 2 * second))
    }

    @Test("that a pipe would not take in one piece is dropped and counted")
    func tooLong() throws {
        let folder = try TemporaryDirectory()
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let log = DecisionLog(path: folder.path(of: "d"), counters: counters)
        log.append(String(repeating: "x", count: LineOutput.lineBytes) + "\n")
        log.append(Self.line)
        #expect(counters.value(.decisionsWritten) == 1 && counters.value(.decisionsDropped) == 1)
        #expect(try Self.text(folder, "d") == Self.line)
    }
}

extension DecisionLog {
    /// Writes one record. Returns false when it was dropped.
    @discardableResult
    fileprivate func append(_ line: String) -> Bool {
        add { $0.append(string: line) }
        write()
        return !takeDrops()
    }
}
