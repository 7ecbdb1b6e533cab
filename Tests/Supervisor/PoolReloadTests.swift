import Loader
import Supervisor
import System
import Testing

@Suite("A pool that reloads")
struct PoolReloadTests {
    @Test("drains the old workers when every new worker is ready")
    func reload() {
        var script = Script.running()
        #expect(
            script.next(.signal(.hangup)) == [
                .notify(.reloading), .startLoader(5, sequence: 3, source: .pushed, serving: 1),
            ]
        )
        let settings = PoolSettings(workerCount: 1, drainMilliseconds: 700)
        #expect(script.next(.loaded(5, settings)) == [.startWorker(6, generation: 3)])
        script.next(.ended(5, .exited(0)))
        #expect(
            script.next(.ready(6)) == [
                .makeCurrent(3), .drain(2, milliseconds: 1000), .drain(3, milliseconds: 1000),
                .log(.reloadAccepted(3, source: .pushed)),
                .publish(verdict(3, at: 1_001_000, nil, serving: 3)),
                .notify(.ready("serving generation 3")),
            ]
        )
        #expect(script.next(.ended(2, .exited(0))).isEmpty)
        #expect(script.next(.ended(3, .exited(0))).isEmpty)
    }

    @Test("keeps the old generation when the loader refuses")
    func refused() {
        var script = Script.running()
        script.next(.signal(.hangup))
        #expect(
            script.next(.refused(5, refusal)) == [
                .publish(verdict(3, at: 1_001_000, refusal, serving: 1)), .log(.reloadRefused(3, refusal)),
                .notify(.ready("serving generation 1; reload refused: bad")),
            ]
        )
    }

    @Test(
        "keeps the old generation when the loader ends without an answer",
        arguments: [ChildExit.signalled(9), .exited(0)]
    )
    func loaderCrash(exit: ChildExit) {
        var script = Script.running()
        script.next(.signal(.hangup))
        let actions = script.next(.ended(5, exit))
        guard case .publish(let verdict)? = actions.first else {
            Issue.record("no verdict")
            return
        }
        #expect(verdict.refusal?.code == "load-crashed" && verdict.serving == 1)
    }

    @Test("keeps the old generation when the loader is late, and kills the loader")
    func loaderTimeout() {
        var script = Script.running()
        script.next(.signal(.hangup))
        #expect(script.state.nextDeadline == script.now + 60_000)
        #expect(script.after(59_999, .tick).isEmpty)
        let actions = script.after(1, .tick)
        #expect(actions.first == .signal(5, .kill))
        #expect(
            actions.contains {
                if case .publish(let v) = $0 { v.refusal?.code == "load-timeout" } else { false }
            }
        )
        #expect(script.next(.loaded(5, PoolSettings(workerCount: 2, drainMilliseconds: 1))).isEmpty)
        #expect(script.next(.ended(5, .signalled(9))).isEmpty)
    }

    @Test("keeps the old generation when a new worker is never ready")
    func notReady() {
        var script = Script.reloading()
        script.next(.ready(6))
        let actions = script.after(20_000, .tick)
        #expect(
            actions.starts(with: [.log(.workerNotReady(7)), .signal(7, .kill), .drain(6, milliseconds: 5000)])
        )
        #expect(
            actions.contains {
                if case .publish(let v) = $0 { v.refusal?.code == "workers-not-ready" } else { false }
            }
        )
        #expect(
            !actions.contains {
                if case .drain(let id, _) = $0 { id == 2 || id == 3 } else { false }
            }
        )
        script.next(.ended(7, .signalled(9)))
        #expect(script.next(.ended(6, .exited(0))).isEmpty)
    }

    @Test("replaces a few new workers that die, then keeps the old generation")
    func newWorkersDie() {
        var script = Script.reloading()
        var next = 6
        for death in 1...3 {
            let actions = script.after(1000, .ended(next, .signalled(11)))
            #expect(actions.contains(.startWorker(7 + death, generation: 3)), "death \(death)")
            next = 7 + death
        }
        let actions = script.after(1000, .ended(next, .signalled(11)))
        #expect(
            actions.contains {
                if case .publish(let v) = $0 { v.refusal?.code == "workers-failed" } else { false }
            }
        )
        #expect(actions.contains(.drain(7, milliseconds: 5000)))
    }

    @Test("begins reloads at an interval; HUPs in between cause one reload", arguments: [true, false])
    func reloadInterval(isAccepted: Bool) {
        var script = Script(state: PoolState(sequence: 0, reloadIntervalMilliseconds: 1000))
        script.start()
        let start = script.next(.signal(.hangup))
        #expect(start.contains(.startLoader(5, sequence: 3, source: .pushed, serving: 1)))
        if isAccepted {
            script.next(.loaded(5, PoolSettings(workerCount: 1, drainMilliseconds: 5000)))
            script.next(.ended(5, .exited(0)))
            script.next(.ready(6))
            for worker in [2, 3] { script.next(.ended(worker, .exited(0))) }
        } else {
            script.next(.refused(5, refusal))
            script.next(.ended(5, .exited(0)))
        }
        // The pool has no deadline when no reload is requested.
        #expect(script.state.nextDeadline == nil)
        for _ in 0..<9 { #expect(script.after(100, .signal(.hangup)).isEmpty) }
        #expect(script.state.nextDeadline == script.now + 100)
        #expect(script.after(99, .tick).isEmpty)
        let loads = script.after(1, .tick).filter { if case .startLoader = $0 { true } else { false } }
        #expect(loads.count == 1)
    }

    @Test("begins a reload at once after a quiet second")
    func reloadAfterQuietSecond() {
        var script = Script(state: PoolState(sequence: 0, reloadIntervalMilliseconds: 1000))
        script.start()
        #expect(!script.next(.signal(.hangup)).isEmpty)
        script.next(.refused(5, refusal))
        script.next(.ended(5, .exited(0)))
        #expect(!script.after(1000, .signal(.hangup)).isEmpty)
    }

    @Test("collapses HUPs during a reload into one more reload, after the old generation is gone")
    func storm() {
        var script = Script.reloading()
        for _ in 0..<100 { #expect(script.next(.signal(.hangup)).isEmpty) }
        script.next(.ready(6))
        script.next(.ready(7))
        script.next(.signal(.hangup))
        script.next(.ended(2, .exited(0)))
        let actions = script.next(.ended(3, .exited(0)))
        #expect(
            actions == [
                .notify(.reloading), .startLoader(8, sequence: 4, source: .pushed, serving: 3),
            ]
        )
        script.next(.refused(8, refusal))
        #expect(script.next(.ended(8, .exited(1))).isEmpty)
    }

    @Test("replaces crashed workers of the old generation during a reload")
    func crashMeanwhile() {
        var script = Script.reloading()
        let actions = script.after(1000, .ended(2, .signalled(7)))
        #expect(actions == [.log(.workerLost(2, .signalled(7))), .startWorker(8, generation: 1)])
    }

    @Test("loads once more when a HUP came during a load, and only then", arguments: [0, 1])
    func duringLoad(count: Int) {
        var script = Script.running()
        script.next(.signal(.hangup))
        for _ in 0..<count { #expect(script.next(.signal(.hangup)).isEmpty) }
        let refused = script.next(.refused(5, refusal)) + script.next(.ended(5, .exited(1)))
        let loads = refused.filter { if case .startLoader = $0 { true } else { false } }
        #expect(loads.count == count)
        guard count > 0 else { return }
        // After that the pool does not load again.
        let again = script.next(.refused(6, refusal)) + script.next(.ended(6, .exited(1)))
        #expect(!again.contains { if case .startLoader = $0 { true } else { false } })
    }

    @Test("does not count deaths of new workers as a crash loop of the serving workers")
    func deathsOfNewWorkers() {
        var script = Script.reloading()
        // So many early deaths of the two serving workers would be a crash loop.
        for id in [6, 7, 8] {
            let actions = script.next(.ended(id, .signalled(11)))
            #expect(
                actions.contains { if case .startWorker(_, 3) = $0 { true } else { false } },
                "\(actions)"
            )
            #expect(!actions.contains { if case .log(.crashLoop) = $0 { true } else { false } })
        }
        // A serving worker is still replaced at once.
        let actions = script.next(.ended(2, .signalled(11)))
        #expect(actions.contains { if case .startWorker(_, 1) = $0 { true } else { false } }, "\(actions)")
    }

    @Test("does not count deaths of serving workers against the new generation")
    func deathsOfServingWorkers() {
        var script = Script.reloading()
        var next = 8
        for id in [2, 3] + (8...12) {
            // The workers were ready, and their deaths are too far apart for a crash loop.
            let actions = script.after(1_000, .ended(id, .signalled(11)))
            #expect(
                actions == [
                    .log(.workerLost(id, .signalled(11))), .startWorker(next, generation: 1),
                ]
            )
            script.next(.ready(next))
            next += 1
        }
        script.next(.ready(6))
        let actions = script.next(.ready(7))
        #expect(actions.contains(.log(.reloadAccepted(3, source: .pushed))), "\(actions)")
    }

    @Test("loads when a worker cannot open the generation that serves, and the new one ends the crash loop")
    func generationGone() {
        var script = Script.running()
        let gone = ChildExit.exited(PoolLimits.generationGoneStatus)
        let actions = script.next(.ended(2, gone))
        #expect(
            actions == [
                .log(.workerLost(2, gone)), .notify(.reloading),
                .startLoader(5, sequence: 3, source: .pushed, serving: 1), .startWorker(6, generation: 1),
            ]
        )
        for id in 6...8 { script.next(.ended(id, gone)) }
        #expect(script.state.isCrashLooping)
        script.next(.loaded(5, PoolSettings(workerCount: 1, drainMilliseconds: 5000)))
        script.next(.ended(5, .exited(0)))
        let started = script.after(1000, .tick)
        guard case .startWorker(let id, 3)? = started.last else {
            Issue.record("\(started)")
            return
        }
        #expect(script.next(.ready(id)).contains(.makeCurrent(3)))
    }
}
