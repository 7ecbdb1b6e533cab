import Support
import System
import Testing

extension DaemonTests {
    @Test("becomes a new binary with the same process number")
    func upgrade() throws {
        let pool = try PoolProcess().start()
        let before = try pool.workers()
        try pool.send(.user2)
        try pool.wait(for: "message=upgrading")
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.ping() == "pong")
        #expect(try PidFile.holder(path: pool.folder.path(of: "pid")) == pool.processID)
        #expect(try pool.reload().status == 0)
        #expect(try !pool.workers().contains { before.contains($0) })
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
    }

    @Test("goes on when the new binary refuses")
    func upgradeRefused() throws {
        let copy = try TemporaryDirectory()
        let path = copy.path(of: "retentiond")
        let original = try ProgramRun.product("retentiond")
        #expect(try ProgramRun.run("cp", [original, path]).status == 0)
        let pool = try PoolProcess(executable: path).start()
        try AtomicFile.write(Array("#!/bin/false\n".utf8).span, to: path, permissions: 0o755)
        try pool.send(.user2)
        try pool.wait(for: "message=\"upgrade refused\" code=upgrade-check-failed")
        #expect(try pool.ping() == "pong")
        // The running binary is still the old one, also for new workers.
        #expect(try ProgramRun.run(original, ["--config", pool.configurationPath, "--reload"]).status == 0)
    }
}
