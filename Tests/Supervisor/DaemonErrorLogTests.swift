import Support
import System
import Testing

/// The pool with a file of its own for log lines.
extension DaemonTests {
    /// A pool whose log lines go to `logs/error`, and whose standard error the test reads.
    private static func pool(_ settings: String = "") throws -> PoolProcess {
        let pool = try PoolProcess()
        try pool.folder.makeDirectory("logs")
        try pool.configure(Self.settings(pool, "logs/error") + settings)
        return pool
    }

    private static func settings(_ pool: PoolProcess, _ name: String) -> String {
        #", "workers": 1, "log": {"errorLog": "\#(pool.folder.path(of: name))"}"#
    }

    private static func lines(_ pool: PoolProcess, _ name: String = "logs/error") -> [String] {
        let bytes = (try? pool.folder.read(name)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until a line of the file has all of these words.
    private static func wait(_ pool: PoolProcess, for words: String..., in name: String = "logs/error") throws
    {
        let isThere = Patience.wait(seconds: 60) {
            lines(pool, name).contains { line in words.allSatisfy { line.contains($0) } }
        }
        try #require(isThere, "\(words) is not in \(lines(pool, name)); standard error: \(pool.lines)")
    }

    private static func waitUntilReady(_ pool: PoolProcess) throws {
        try wait(pool, for: " supervisor ", "message=ready")
    }

    /// Everything that the pool has written to standard error.
    private static func standardError(_ pool: PoolProcess) -> [String] {
        _ = try? pool.wait(for: "there is no such line", seconds: 0)
        return pool.lines
    }

    @Test("writes the lines of all its processes to its error log, and none to standard error")
    func errorLog() throws {
        let pool = try Self.pool()
        try pool.start(waiting: false)
        try Self.waitUntilReady(pool)
        try Self.wait(pool, for: " worker ", "message=ready")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        #expect(Self.lines(pool).last?.contains("message=stopped") == true, "\(Self.lines(pool))")
        #expect(Self.standardError(pool) == [])
        #expect(try FileStatus(path: pool.folder.path(of: "logs/error")).permissions == 0o640)
    }

    @Test("says why it does not start on standard error and in its error log")
    func errorLogOfRefusedStart() throws {
        let pool = try Self.pool()
        try pool.folder.makeDirectory("run", permissions: 0o750)
        try pool.folder.write("precious", to: "run/retentiond.sock")
        try pool.start(waiting: false)
        #expect(pool.waitForEnd() == .exited(74))
        try Self.wait(pool, for: "message=\"start refused\"", "code=supervisor.unavailable")
        let told = Self.standardError(pool)
        #expect(told.count == 1 && told[0].hasSuffix("(supervisor.unavailable)"), "\(told)")
        try pool.folder.write("{", to: "retentiond.json")
        try pool.start(waiting: false)
        try pool.wait(for: "code=json.syntax")
    }

    @Test("changes to another error log at a reload, and keeps the old one when the new one cannot be opened")
    func errorLogReloaded() throws {
        let pool = try Self.pool()
        try pool.start(waiting: false)
        try Self.waitUntilReady(pool)
        try pool.configure(Self.settings(pool, "nowhere/error"))
        let refused = try pool.reload()
        #expect(refused.status == 1 && refused.errors.contains("(error-log-unwritable)"), "\(refused)")
        try Self.wait(pool, for: "message=\"reload refused\"", "code=error-log-unwritable")
        try pool.configure(Self.settings(pool, "logs/other"))
        #expect(try pool.reload().status == 0)
        try Self.wait(pool, for: " worker ", "message=ready", in: "logs/other")
        try pool.configure(#", "workers": 1"#)
        #expect(try pool.reload().status == 0)
        try pool.wait(for: "message=ready", "worker")
        try pool.send(.user1)
        try pool.wait(for: "message=\"logs reopened\"")
    }

    @Test("goes on in the old error log when it cannot be reopened, says so, and reopens it at the next USR1")
    func errorLogNotReopened() throws {
        let pool = try Self.pool()
        try pool.start(waiting: false)
        try Self.waitUntilReady(pool)
        try Directory.rename(pool.folder.path(of: "logs"), to: pool.folder.path(of: "old"))
        try pool.send(.user1)
        for words in [(" supervisor ", "\"logs not reopened\""), (" worker ", "\"error log not reopened\"")] {
            try Self.wait(pool, for: words.0, words.1 + " code=error-log-unwritable", in: "old/error")
        }
        #expect(try pool.ping() == "pong")
        try pool.folder.makeDirectory("logs")
        try pool.send(.user1)
        try Self.wait(pool, for: " supervisor ", "message=\"logs reopened\"")
    }
}
