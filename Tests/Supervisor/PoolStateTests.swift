import Loader
import Supervisor
import System
import Testing

@Suite("A pool that starts")
struct PoolStartTests {
    @Test("loads, starts its workers, says ready and stores what it loaded")
    func start() {
        var script = Script()
        #expect(
            script.next(.start) == [
                .log(.started), .startLoader(1, sequence: 1, source: .pushed, current: nil),
            ]
        )
        let settings = PoolSettings(workerCount: 2, drainMilliseconds: 5000)
        #expect(
            script.after(5, .loaded(1, settings)) == [
                .startWorker(2, generation: 1, hints: []), .startWorker(3, generation: 1, hints: []),
            ]
        )
        #expect(script.after(1, .ended(1, .exited(0))).isEmpty)
        #expect(script.after(1, .ready(3)).isEmpty)
        #expect(
            script.after(1, .ready(2)) == [
                .log(.ready(1, source: .pushed)),
                .publish(verdict(1, at: 1_000_000, nil, serving: 1)),
                .startKeeper(4, generation: 1), .notify(.ready("serving generation 1")),
            ]
        )
        #expect(script.state.phase == .running)
    }

    @Test("with bad files serves the last good generation and says so")
    func fallback() {
        var script = Script()
        script.next(.start)
        #expect(
            script.after(2, .refused(1, refusal)) == [
                .publish(verdict(1, at: 1_000_000, refusal, serving: nil)), .log(.fallingBack(refusal)),
                .startLoader(2, sequence: 2, source: .lastGood, current: nil),
            ]
        )
        script.next(.ended(1, .exited(0)))
        script.next(.loaded(2, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        #expect(
            script.next(.ready(3)) == [
                .log(.ready(2, source: .lastGood)),
                .notify(.ready("serving generation 2; what was pushed is refused")),
            ]
        )
    }

    @Test("with nothing good gives up with the status of a configuration error")
    func nothing() {
        var script = Script()
        script.next(.start)
        script.next(.refused(1, refusal))
        script.next(.ended(1, .exited(1)))
        #expect(
            script.next(.refused(2, refusal)) == [
                .log(.startRefused(refusal)), .closeListener, .signal(2, .kill),
            ]
        )
        #expect(script.next(.ended(2, .signalled(9))) == [.log(.stopped), .finish(status: 78)])
        #expect(script.next(.start).isEmpty)
    }

    @Test("never gives up on workers that fail, one start a second")
    func crashLoop() {
        var script = Script()
        script.next(.start)
        var starts = script.next(.loaded(1, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        var times: [Int64] = []
        for _ in 0..<30 {
            guard case .startWorker(let id, _, _)? = starts.last else { break }
            times.append(script.now)
            starts = script.after(3, .ended(id, .signalled(11)))
            if starts.last.map({ if case .startWorker = $0 { false } else { true } }) ?? true {
                let wait = (script.state.nextDeadline ?? 0) - script.now
                starts = script.after(wait, .tick)
            }
        }
        #expect(times.count == 30)
        #expect(times[1] - times[0] == 3, "the first is replaced at once")
        #expect(zip(times.dropFirst(3), times.dropFirst(4)).allSatisfy { $1 - $0 == 1000 })
    }
}

@Suite("A pool that reloads")
struct PoolReloadTests {
    @Test("lets the old workers leave when every new one is ready")
    func reload() {
        var script = Script.running()
        #expect(
            script.next(.signal(.hangup)) == [
                .notify(.reloading), .startLoader(5, sequence: 2, source: .pushed, current: 1),
            ]
        )
        let settings = PoolSettings(workerCount: 1, drainMilliseconds: 700)
        #expect(script.next(.loaded(5, settings)) == [.startWorker(6, generation: 2, hints: [])])
        script.next(.ended(5, .exited(0)))
        #expect(
            script.next(.ready(6)) == [
                .drain(2, milliseconds: 1000), .drain(3, milliseconds: 1000),
                .log(.reloadAccepted(2, source: .pushed)),
                .publish(verdict(2, at: 1_000_000, nil, serving: 2)),
                .startKeeper(7, generation: 2), .notify(.ready("serving generation 2")),
            ]
        )
        #expect(script.next(.ended(2, .exited(0))).isEmpty)
        #expect(script.next(.ended(3, .exited(0))) == [.release(1)])
    }

    @Test("keeps the old when the loader refuses")
    func refused() {
        var script = Script.running()
        script.next(.signal(.hangup))
        #expect(
            script.next(.refused(5, refusal)) == [
                .publish(verdict(2, at: 1_000_000, refusal, serving: 1)), .log(.reloadRefused(2, refusal)),
                .notify(.ready("serving generation 1; reload refused: bad")),
            ]
        )
    }

    @Test(
        "keeps the old when the loader ends without an answer",
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

    @Test("keeps the old when the loader is late, and kills it")
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
        #expect(!script.state.heldGenerations.contains(2), "what a late loader delivers is dropped")
        #expect(script.next(.ended(5, .signalled(9))).isEmpty)
    }

    @Test("keeps the old when a new worker is never ready")
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
        #expect(script.next(.ended(6, .exited(0))) == [.release(2)])
    }

    @Test("bears a few deaths among the new workers, then keeps the old")
    func newWorkersDie() {
        var script = Script.reloading()
        var next = 6
        for death in 1...3 {
            let actions = script.after(1000, .ended(next, .signalled(11)))
            #expect(actions.contains(.startWorker(7 + death, generation: 2, hints: [])), "death \(death)")
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

    @Test("begins reloads apart, and the HUPs in between make one", arguments: [true, false])
    func distance(isAccepted: Bool) {
        var script = Script(state: PoolState(sequence: 0, reloadIntervalMilliseconds: 1000))
        script.start()
        let start = script.next(.signal(.hangup))
        #expect(start.contains(.startLoader(5, sequence: 2, source: .pushed, current: 1)))
        if isAccepted {
            script.next(.loaded(5, PoolSettings(workerCount: 1, drainMilliseconds: 5000)))
            script.next(.ended(5, .exited(0)))
            script.next(.ready(6))
            for worker in [2, 3] { script.next(.ended(worker, .exited(0))) }
            script.next(.ended(7, .exited(0)))
        } else {
            script.next(.refused(5, refusal))
            script.next(.ended(5, .exited(0)))
        }
        // Nothing waits for time while nothing is wanted.
        #expect(script.state.nextDeadline == nil)
        for _ in 0..<9 { #expect(script.after(100, .signal(.hangup)).isEmpty) }
        #expect(script.state.nextDeadline == script.now + 100)
        #expect(script.after(99, .tick).isEmpty)
        let loads = script.after(1, .tick).filter { if case .startLoader = $0 { true } else { false } }
        #expect(loads.count == 1)
    }

    @Test("begins a reload at once after a quiet second")
    func noDistance() {
        var script = Script(state: PoolState(sequence: 0, reloadIntervalMilliseconds: 1000))
        script.start()
        #expect(!script.next(.signal(.hangup)).isEmpty)
        script.next(.refused(5, refusal))
        script.next(.ended(5, .exited(0)))
        #expect(!script.after(1000, .signal(.hangup)).isEmpty)
    }

    @Test("collapses HUPs that arrive meanwhile into one more, after the old generation is gone")
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
                .release(1), .notify(.reloading), .startLoader(9, sequence: 3, source: .pushed, current: 2),
            ]
        )
        script.next(.refused(9, refusal))
        #expect(script.next(.ended(9, .exited(1))).isEmpty)
    }

    @Test("replaces crashed workers of the old generation meanwhile")
    func crashMeanwhile() {
        var script = Script.reloading()
        let actions = script.after(1000, .ended(2, .signalled(7)))
        #expect(actions == [.log(.workerLost(2, .signalled(7))), .startWorker(8, generation: 1, hints: [])])
    }

    @Test("stores the latest generation when stores queue up")
    func stores() {
        var script = Script.reloading()
        script.next(.ready(6))
        script.next(.ready(7))  // keeper 8 stores generation 2
        script.next(.ended(2, .exited(0)))
        script.next(.ended(3, .exited(0)))
        script.next(.signal(.hangup))  // loader 9
        script.next(.loaded(9, PoolSettings(workerCount: 1, drainMilliseconds: 5)))
        script.next(.ended(9, .exited(0)))
        let actions = script.next(.ready(10))
        #expect(!actions.contains { if case .startKeeper = $0 { true } else { false } })
        #expect(script.next(.ended(8, .exited(0))) == [.startKeeper(11, generation: 3)])
    }
}
