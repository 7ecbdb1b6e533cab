import Pool
import System
import Testing

@Suite("A pool that starts")
struct PoolStartTests {
    @Test("serves the generation that served before at once, then loads what is pushed")
    func start() {
        var script = Script()
        #expect(
            script.next(.start) == [
                .startLoader(1, sequence: 1, source: .unchanged, serving: nil)
            ]
        )
        let settings = PoolSettings(workerCount: 2, drainMilliseconds: 5000)
        #expect(
            script.after(5, .loaded(1, settings)) == [
                .startWorker(2, generation: 1), .startWorker(3, generation: 1),
            ]
        )
        #expect(script.after(1, .ended(1, .exited(0))).isEmpty)
        #expect(script.after(1, .ready(3)).isEmpty)
        #expect(
            script.after(1, .ready(2)) == [
                .makeCurrent(1), .log("ready", generation: 1, nil, ["source": "unchanged"]),
                .notify(.ready("serving generation 1")), .notify(.reloading),
                .startLoader(4, sequence: 2, source: .pushed, serving: 1),
            ]
        )
        #expect(script.state.phase == .running)
        let begun = script.now
        #expect(
            script.after(2, .refused(4, refusal)) == [
                .publish(verdict(2, at: begun, refusal, serving: 1)),
                .log("reload refused", generation: 2, refusal),
                .notify(.ready("serving generation 1; reload refused: bad")),
            ]
        )
    }

    @Test("loads when the workers of the first generation cannot open it")
    func firstGenerationGone() {
        var script = Script()
        script.next(.start)
        script.next(.loaded(1, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        script.next(.ended(1, .exited(0)))
        let actions = script.next(.ended(2, .exited(PoolLimits.generationGoneStatus)))
        #expect(actions.last == .startLoader(3, sequence: 1, source: .pushed, serving: nil), "\(actions)")
    }

    /// A pool whose first loader found no generation that was made with the present settings.
    private static func loadingFirst() -> Script {
        var script = Script()
        script.next(.start)
        script.next(.refused(1, none))
        script.next(.ended(1, .exited(1)))
        return script
    }

    private static let none = ServiceError(code: "no-last-good", "none")

    @Test("loads first when the generation that served before was made with other settings")
    func pushed() {
        var script = Script()
        script.next(.start)
        #expect(
            script.next(.refused(1, Self.none)) == [
                .startLoader(2, sequence: 1, source: .pushed, serving: nil)
            ]
        )
        script.next(.ended(1, .exited(1)))
        script.next(.loaded(2, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        #expect(
            script.next(.ready(3)) == [
                .makeCurrent(1), .log("ready", generation: 1, nil, ["source": "pushed"]),
                .publish(verdict(1, at: 1_000_000, nil, serving: 1)),
                .notify(.ready("serving generation 1")),
            ]
        )
    }

    @Test("serves the last good generation when the files are bad, and logs that")
    func fallback() {
        var script = Self.loadingFirst()
        #expect(
            script.after(2, .refused(2, refusal)) == [
                .publish(verdict(1, at: 1_000_000, refusal, serving: nil)),
                .log("pushed files refused", refusal),
                .startLoader(3, sequence: 2, source: .lastGood, serving: nil),
            ]
        )
        script.next(.ended(2, .exited(0)))
        script.next(.loaded(3, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        #expect(
            script.next(.ready(4)) == [
                .makeCurrent(2), .log("serving the last good generation", refusal),
                .log("ready", generation: 2, nil, ["source": "last-good"]),
                .notify(.ready("serving generation 2; pushed files refused")),
            ]
        )
    }

    @Test("ends with the status of a configuration error when no generation is good")
    func noGoodGeneration() {
        var script = Self.loadingFirst()
        script.next(.refused(2, refusal))
        script.next(.ended(2, .exited(1)))
        #expect(
            script.next(.refused(3, refusal)) == [
                .log("start refused", refusal), .closeListener, .signal(3, .kill),
            ]
        )
        #expect(script.next(.ended(3, .signalled(9))) == [.log("stopped"), .finish(status: 78)])
        #expect(script.next(.start).isEmpty)
    }

    @Test("never gives up on workers that fail, and soon starts one a second")
    func crashLoop() {
        var script = Script()
        script.next(.start)
        var starts = script.next(.loaded(1, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        var times: [Int64] = []
        for _ in 0..<30 {
            guard case .startWorker(let id, _)? = starts.last else { break }
            times.append(script.now)
            starts = script.after(3, .ended(id, .signalled(11)))
            if starts.last.map({ if case .startWorker = $0 { false } else { true } }) ?? true {
                let wait = (script.state.nextDeadline ?? 0) - script.now
                starts = script.after(wait, .tick)
            }
        }
        #expect(times.count == 30)
        #expect(times[1] - times[0] == 3, "the first worker is replaced at once")
        #expect(zip(times.dropFirst(3), times.dropFirst(4)).allSatisfy { $1 - $0 == 1000 })
    }
}
