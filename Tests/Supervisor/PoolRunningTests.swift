@testable import Pool
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
                .log("worker lost", worker: 2, nil, ["exit": "\(exit)"]), .startWorker(5, generation: 1),
            ]
        )
    }

    @Test("replaces a stuck worker at once, and kills it when TERM does nothing")
    func stuck() {
        var script = Script.running()
        #expect(
            script.after(60_000, .stuck(2)) == [
                .log("worker stuck", worker: 2, nil, ["silent-ms": "10000"]), .signal(2, .terminate),
                .startWorker(5, generation: 1),
            ]
        )
        #expect(script.next(.stuck(2)).isEmpty, "the worker is already told to leave")
        #expect(script.state.nextDeadline == script.now + PoolLimits.killMilliseconds)
        #expect(script.after(PoolLimits.killMilliseconds - 1, .ready(5)).isEmpty)
        #expect(
            script.after(1, .tick) == [
                .log("worker forced to leave", worker: 2, nil, ["signal": "kill"]), .signal(2, .kill),
            ])
        #expect(script.next(.ended(2, .signalled(9))).isEmpty)
        // Stuck workers are no crash loop: each replacement starts at once.
        for (victim, next) in [(5, 6), (3, 7), (6, 8), (7, 9)] {
            let actions = script.after(1, .stuck(victim))
            #expect(actions.last == .startWorker(next, generation: 1), "\(actions)")
            script.next(.ended(victim, .signalled(9)))
            script.next(.ready(next))
        }
    }

    @Test(
        "forgets early deaths of workers after ten quiet seconds, and not before",
        arguments: [9_999, 10_000] as [Int64]
    )
    func quiet(milliseconds: Int64) {
        var script = Script.running()
        script.now += 60_000
        var id = 2
        // As many early deaths as the pool has workers are not yet a crash loop.
        for _ in 0..<3 {
            let actions = script.after(1, .ended(id, .signalled(11)))
            guard case .startWorker(let next, _)? = actions.last else {
                Issue.record("\(actions)")
                return
            }
            id = next
        }
        script.next(.ready(id))
        let other = script.after(milliseconds - 1, .ended(3, .signalled(11)))
        guard case .startWorker(let next, _)? = other.last else {
            Issue.record("\(other)")
            return
        }
        let actions = script.after(1, .ended(next, .signalled(11)))
        let isLoop = actions.contains {
            if case .log(let line) = $0 { line.text == "workers keep failing" } else { false }
        }
        #expect(isLoop == (milliseconds < PoolLimits.crashLoopMemoryMilliseconds), "\(actions)")
    }

    @Test("is in a crash loop until ten seconds after the last early death")
    func recovery() {
        var script = Script.running()
        var id = 2
        while !script.state.isCrashLooping, id < 20 {
            let actions = script.after(1, .ended(id, .signalled(11)))
            if case .startWorker(let next, _)? = actions.last { id = next }
        }
        #expect(script.state.isCrashLooping)
        let end = script.now + PoolLimits.crashLoopMemoryMilliseconds
        let started = script.after(PoolLimits.crashLoopMilliseconds, .tick)
        guard case .startWorker(let next, _)? = started.last else {
            Issue.record("\(started)")
            return
        }
        script.next(.ready(next))
        script.after(end - 1 - script.now, .tick)
        #expect(script.state.isCrashLooping && script.state.nextDeadline == end)
        script.after(1, .tick)
        #expect(!script.state.isCrashLooping && script.state.nextDeadline != end)
    }

    @Test("drains a recycled worker only when its successor is ready")
    func recycle() {
        var script = Script.running()
        #expect(script.next(.recycle(2)) == [.startWorker(5, generation: 1)])
        #expect(script.next(.recycle(2)).isEmpty)
        #expect(script.next(.ready(5)) == [.drain(2, milliseconds: 5000)])
        #expect(script.next(.ended(2, .exited(0))).isEmpty)
    }

    @Test("sends a chain of one worker to all others that serve or start, and to none that leaves")
    func sharedChains() {
        var script = Script.running()
        #expect(script.next(.chain(3, [1])) == [.sendHint(2, hint: [1])])
        script = Script.reloading()
        #expect(
            script.next(.chain(2, [1])) == [
                .sendHint(3, hint: [1]), .sendHint(6, hint: [1]), .sendHint(7, hint: [1]),
            ]
        )
        script.next(.ready(6))
        script.next(.ready(7))
        // Workers 2 and 3 are draining. The other workers still get chains from them.
        #expect(
            script.after(1000, .chain(3, [2])) == [.sendHint(6, hint: [2]), .sendHint(7, hint: [2])])
    }
}
