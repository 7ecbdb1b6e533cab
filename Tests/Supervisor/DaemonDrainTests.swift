import Support
import Synchronization
import System
import Testing

extension DaemonTests {
    @Test(
        "loses no request while it reloads, even when drainMilliseconds is 0",
        arguments: [5000, 0]
    )
    func nothingLost(drainMilliseconds: Int) throws {
        let pool = try PoolProcess(#", "workers": 2, "drainMilliseconds": \#(drainMilliseconds)"#).start()
        let stopping = Atomic<Bool>(false)
        let socketPath = pool.socketPath
        let asking = try JoinableThread { () -> (answered: Int, lost: Int) in
            var counts = (answered: 0, lost: 0)
            while !stopping.load(ordering: .relaxed) {
                let isAnswered = (try? PoolProcess.ping(socketPath)) == "pong"
                if isAnswered { counts.answered += 1 } else { counts.lost += 1 }
            }
            return counts
        }
        for round in Int64(1)...10 {
            try pool.push(PoolProcess.rules(revision: "r\(10 + round)"), as: "one.rules.json")
            #expect(try pool.reload().status == 0)
        }
        for _ in 0..<20 { try pool.send(.hangup) }
        try pool.wait(for: "message=\"reload accepted\"")
        stopping.store(true, ordering: .relaxed)
        let counts = try #require(asking.join())
        #expect(counts.lost == 0 && counts.answered > 10, "\(counts)")
        #expect(!pool.lines.contains { $0.contains("worker forced") || $0.contains("left with open") })
    }

    @Test("finishes a request in flight after QUIT, even when drainMilliseconds is 0")
    func quitWaits() throws {
        let pool = try PoolProcess(#", "workers": 1, "drainMilliseconds": 0"#).start()
        let client = try FastCGIClient(unixPath: pool.socketPath)
        let parameters = [("REQUEST_METHOD", "GET"), ("RETENTION_ENDPOINT", "ping")]
        let whole = FastCGIRecords.request(parameters, keep: false)
        try client.send(Array(whole.dropLast()))
        try pool.send(.quit)
        try pool.wait(for: "message=draining", "worker")
        // An earlier version sent TERM by now, and its worker ended without an answer.
        #expect(try pool.workers().count == 1)
        try client.send([whole[whole.count - 1]])
        #expect(try client.readReply().body == Array("pong".utf8))
        #expect(pool.waitForEnd() == .exited(0))
        #expect(throws: PoolProcess.Silence.self) { try pool.wait(for: "forced", seconds: 0) }
    }

    @Test("goes on a second later without a worker that a disk keeps from ending, and logs its number")
    func heldWorker() throws {
        let pool = try PoolProcess(#", "workers": 1"#)
        let library = try PreloadedLibrary(
            source: """
                #include <string.h>
                #include <sys/prctl.h>
                #include <sys/syscall.h>
                #include <unistd.h>
                void _exit(int status) {
                    char name[17] = { 0 };
                    prctl(PR_GET_NAME, name);
                    while (!strcmp(name, "retentiond-work") && access("\(pool.folder.path(of: "answers"))", F_OK)) usleep(2000);
                    syscall(SYS_exit_group, status);
                    __builtin_unreachable();
                }
                """
        )
        try pool.start(environment: [library.environment])
        let first = try pool.workers()
        #expect(try pool.reload().status == 0)
        let line = try pool.wait(for: "message=\"worker does not end\"")
        #expect(try line.contains(" warning ") && first == [PoolProcess.number("worker.pid", in: line)])
        #expect(try pool.ping() == "pong")
        let held = first + (try pool.workers())
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        try pool.folder.write("", to: "answers")
        #expect(Patience.wait(seconds: 60) { held.allSatisfy { ProcessHandle($0)?.isAlive != true } })
    }
}
