import Loader
import Supervisor
import System
import Testing

@Suite("A pool that serves")
struct PoolRunningTests {
    @Test(
        "replaces a worker at once, however it died",
        arguments: [ChildExit.signalled(9), .signalled(11), .exited(1), .exited(0)]
    )
    func crash(exit: ChildExit) {
        var script = Script.running()
        #expect(
            script.after(60_000, .ended(2, exit)) == [
                .log(.workerLost(2, exit)), .startWorker(5, generation: 1, hints: []),
            ]
        )
    }

    @Test("replaces workers killed once a second without delay")
    func killedEachSecond() {
        var script = Script.running()
        script.now += 60_000
        var victim = 2
        for _ in 0..<30 {
            let actions = script.after(1000, .ended(victim, .signalled(9)))
            guard case .startWorker(let id, _, _)? = actions.last else {
                Issue.record("not replaced at once")
                return
            }
            script.after(10, .ready(id))
            victim = id
        }
    }

    @Test("replaces a worker that cannot be started, one try a second")
    func notStarted() {
        var script = Script.running()
        script.now += 60_000
        var actions = script.next(.ended(2, .signalled(9)))
        var tries = 0
        while case .startWorker(let id, _, _)? = actions.last, tries < 10 {
            tries += 1
            actions = script.next(.notStarted(id, PoolRefusal(code: "system.eagain", message: "no process")))
        }
        #expect(tries == 3)
        #expect(script.state.nextDeadline == script.now + 1000)
        #expect(script.after(999, .tick).isEmpty)
        #expect(script.after(1, .tick).count == 1)
    }

    @Test("recycles a worker only when its successor is ready")
    func recycle() {
        var script = Script.running()
        #expect(script.next(.recycle(2)) == [.startWorker(5, generation: 1, hints: [])])
        #expect(script.next(.recycle(2)).isEmpty)
        #expect(script.next(.ready(5)) == [.drain(2, milliseconds: 5000)])
        #expect(script.next(.ended(2, .exited(0))).isEmpty)
    }

    @Test("keeps the last eight chains and hands them to new workers")
    func hints() {
        var script = Script.running()
        for value in 1...9 { #expect(script.next(.chain([UInt8(value)])).count == 1) }
        #expect(script.next(.chain([3])).isEmpty, "known already")
        let expected: [[UInt8]] = [[3], [9], [8], [7], [6], [5], [4], [2]]
        #expect(script.state.chainHints == expected)
        #expect(
            script.after(9000, .ended(2, .signalled(9))).last
                == .startWorker(5, generation: 1, hints: expected)
        )
        #expect(script.next(.chain([UInt8](repeating: 1, count: 16_385))).isEmpty, "too large to keep")
        #expect(script.next(.chain([])).isEmpty)
    }

    @Test("reopens logs, its own and those of the workers")
    func reopen() {
        var script = Script.running()
        #expect(
            script.next(.signal(.user1)) == [
                .reopenLogs, .log(.logsReopened), .signal(2, .user1), .signal(3, .user1),
            ]
        )
    }
}
