import Support
import System
import Testing

extension DaemonTests {
    @Test("replaces a stopped worker, and no worker that has nothing to do")
    func stoppedWorker() throws {
        let pool = try PoolProcess(#", "workers": 2"#).start()
        let victim = try #require(try pool.workers().first)
        try Processes.send(.stop, to: victim)
        let line = try pool.wait(for: "message=\"worker stuck\"")
        #expect(line.contains(" warning ") && line.contains("silent-ms=10000"), "\(line)")
        #expect(try PoolProcess.number("worker.pid", in: line) == victim)
        #expect(try pool.ping() == "pong")
        let end = Clock.monotonicNanoseconds() + 20_000_000_000
        while Processes.exists(victim), Clock.monotonicNanoseconds() < end {
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 10)
        }
        #expect(!Processes.exists(victim))
        try pool.wait(for: "message=\"worker forced to leave\"")
        let status = try pool.status()
        #expect(status["workers_stuck"] == "1" && status["workers_crashed"] == "1", "\(status)")
        #expect(status["total processes"] == "2")
    }
}
