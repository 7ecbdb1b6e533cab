import Support
import System
import Testing

extension DaemonTests {
    @Test("replaces a stopped worker, and no worker that has nothing to do")
    func stoppedWorker() throws {
        let pool = try PoolProcess(#", "workers": 2, "stuckMilliseconds": 1000"#).start()
        let victim = try #require(try pool.workers().first)
        try Processes.send(.stop, to: victim)
        let line = try pool.wait(for: "message=\"worker stuck\"")
        #expect(line.contains(" warning ") && line.contains("silent-ms=1000"), "\(line)")
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

    @Test("warns when the kernel queues fewer connections than backlog says, and only then")
    func backlog() throws {
        let bytes = try SourceFile.read("/proc/sys/net/core/somaxconn")
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let limit = try #require(Int(text))
        for backlog in [min(limit, 65_535), limit + 1] where backlog <= 65_535 {
            let pool = try PoolProcess(#", "workers": 1, "backlog": \#(backlog)"#).start()
            let warnings = pool.lines.filter { $0.contains("code=backlog-capped") }
            #expect(warnings.count == (backlog > limit ? 1 : 0), "\(warnings)")
            #expect(warnings.allSatisfy { $0.contains("backlog=\(backlog) queue=\(limit)") }, "\(warnings)")
        }
    }
}
