import Pool
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
                .log("reload accepted", generation: 3, nil, ["source": "pushed"]),
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
                .publish(verdict(3, at: 1_001_000, refusal, serving: 1)),
                .log("reload refused", generation: 3, refusal),
                .notify(.ready("serving generation 1; reload refused: bad")),
            ]
        )
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
            actions.starts(with: [
                .log("worker not ready", worker: 7), .signal(7, .kill), .drain(6, milliseconds: 5000),
            ])
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
}
