import Pool
import System
import Testing

private func running() -> PoolState {
    var state = PoolState(sequence: 0)
    let kinds: [PoolEvent.Kind] = [
        .start, .loaded(1, PoolSettings(workerCount: 2, drainMilliseconds: 300)), .ended(1, .exited(0)),
        .ready(2),
        .ready(3), .refused(4, refusal), .ended(4, .exited(1)),
    ]
    for kind in kinds { _ = state.handle(PoolEvent(at: 0, kind)) }
    return state
}

@Suite("A pool that stops")
struct PoolStoppingTests {
    @Test(
        "drains its workers, then forces the workers that do not end",
        arguments: [(Signal.quit, Int64(60_000)), (.terminate, 300), (.interrupt, 300)]
    )
    func escalation(signal: Signal, patience: Int64) {
        var state = running()
        #expect(
            state.handle(PoolEvent(at: 1000, .signal(signal))) == [
                .notify(.stopping), .log("draining", nil, ["signal": "\(signal)"]), .closeListener,
                .drain(2, milliseconds: patience),
                .drain(3, milliseconds: patience),
            ]
        )
        // TERM comes some time after a worker should have ended, so that a worker that ends in time gets no TERM.
        let end = 1000 + patience + 250
        #expect(state.nextDeadline == end)
        #expect(state.handle(PoolEvent(at: 1000 + patience, .tick)).isEmpty)
        #expect(state.handle(PoolEvent(at: 1100, .ended(2, .exited(0)))).isEmpty)
        #expect(
            state.handle(PoolEvent(at: end, .tick)) == [
                .log("worker forced to leave", worker: 3, nil, ["signal": "terminate"]),
                .signal(3, .terminate),
            ]
        )
        #expect(
            state.handle(PoolEvent(at: end + 1000, .tick)) == [
                .log("worker forced to leave", worker: 3, nil, ["signal": "kill"]), .signal(3, .kill),
            ]
        )
        #expect(
            state.handle(PoolEvent(at: end + 1001, .ended(3, .signalled(9)))) == [
                .log("stopped"), .finish(status: 0),
            ]
        )
    }

    @Test("goes on a second after KILL without a worker that does not end, and says which")
    func killedWorker() {
        var state = running()
        _ = state.handle(PoolEvent(at: 1000, .signal(.terminate)))
        _ = state.handle(PoolEvent(at: 1100, .ended(2, .exited(0))))
        _ = state.handle(PoolEvent(at: 1550, .tick))
        #expect(state.handle(PoolEvent(at: 2550, .tick)).contains(.signal(3, .kill)))
        #expect(state.nextDeadline == 3550)
        #expect(
            state.handle(PoolEvent(at: 3550, .tick)) == [
                .log("worker does not end", worker: 3), .abandon(3), .log("stopped"), .finish(status: 0),
            ]
        )
    }

    @Test("drains for a shorter time when TERM follows QUIT, and not longer after more signals")
    func terminateAfterQuit() {
        var state = running()
        _ = state.handle(PoolEvent(at: 1000, .signal(.quit)))
        #expect(
            state.handle(PoolEvent(at: 2000, .signal(.terminate))) == [
                .drain(2, milliseconds: 300), .drain(3, milliseconds: 300),
            ],
            "the workers are told the shorter time"
        )
        #expect(state.nextDeadline == 2550)
        #expect(state.handle(PoolEvent(at: 2100, .signal(.terminate))).isEmpty)
        #expect(state.handle(PoolEvent(at: 2100, .signal(.quit))).isEmpty)
        #expect(state.nextDeadline == 2550)
    }

    @Test("gives replaced workers a second to drain, even when TERM gives no time")
    func drainTimeOfReplacedWorkers() {
        var script = Script.running(drainMilliseconds: 0)
        script.next(.signal(.hangup))
        script.next(.loaded(5, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        let actions = script.next(.ready(6))
        #expect(
            actions.starts(with: [
                .makeCurrent(3), .drain(2, milliseconds: 1000), .drain(3, milliseconds: 1000),
            ]), "\(actions)"
        )
        #expect(script.next(.signal(.terminate)).contains(.drain(3, milliseconds: 0)), "TERM gives no time")
    }

    @Test("kills a loader and waits until it has ended")
    func loader() {
        var state = running()
        _ = state.handle(PoolEvent(at: 1000, .signal(.hangup)))
        let actions = state.handle(PoolEvent(at: 1001, .signal(.terminate)))
        #expect(actions.contains(.signal(5, .kill)))
        _ = state.handle(PoolEvent(at: 1002, .ended(2, .exited(0))))
        #expect(state.handle(PoolEvent(at: 1002, .ended(3, .exited(0)))).isEmpty)
        #expect(
            state.handle(PoolEvent(at: 1003, .ended(5, .signalled(9)))) == [
                .log("stopped"), .finish(status: 0),
            ]
        )
    }
}
