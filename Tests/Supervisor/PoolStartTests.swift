import Loader
import Supervisor
import System
import Testing

@Suite("A pool that starts")
struct PoolStartTests {
    @Test("loads, starts its workers, reports that it is ready and stores the generation")
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

    @Test("serves the last good generation when the files are bad, and logs that")
    func fallback() {
        var script = Script()
        script.next(.start)
        #expect(
            script.after(2, .refused(1, refusal)) == [
                .publish(verdict(1, at: 1_000_000, refusal, serving: nil)), .log(.pushedRefused(refusal)),
                .startLoader(2, sequence: 2, source: .lastGood, current: nil),
            ]
        )
        script.next(.ended(1, .exited(0)))
        script.next(.loaded(2, PoolSettings(workerCount: 1, drainMilliseconds: 0)))
        #expect(
            script.next(.ready(3)) == [
                .log(.fallingBack(refusal)), .log(.ready(2, source: .lastGood)),
                .notify(.ready("serving generation 2; pushed files refused")),
            ]
        )
    }

    @Test("ends with the status of a configuration error when no generation is good")
    func noGoodGeneration() {
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

    @Test("ends when there is no last good generation, and logs why the pushed files are refused")
    func noLastGood() {
        var script = Script()
        var actions =
            script.next(.start) + script.next(.refused(1, refusal)) + script.next(.ended(1, .exited(1)))
        actions += script.next(.refused(2, PoolRefusal(code: "no-last-good", message: "none")))
        let why = PoolRefusal(code: "bad", message: "no; there is no last good generation to serve instead")
        #expect(actions.contains(.log(.startRefused(why))))
        #expect(!actions.contains(.log(.fallingBack(refusal))))
    }

    @Test(
        "counts loads from 1 when the last number is not valid",
        arguments: [Int.max, .max - 1, .min, -1]
    )
    func sequence(number: Int) {
        var script = Script(state: PoolState(sequence: number))
        #expect(script.next(.start).last == .startLoader(1, sequence: 1, source: .pushed, current: nil))
    }

    @Test("counts loads up to a limit and then from 1 again")
    func sequenceLimit() {
        for (number, next) in [
            (PoolLimits.sequenceLimit - 1, PoolLimits.sequenceLimit), (PoolLimits.sequenceLimit, 1),
        ] {
            var script = Script(state: PoolState(sequence: number))
            #expect(
                script.next(.start).last == .startLoader(1, sequence: next, source: .pushed, current: nil)
            )
        }
    }

    @Test("never gives up on workers that fail, and soon starts one a second")
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
        #expect(times[1] - times[0] == 3, "the first worker is replaced at once")
        #expect(zip(times.dropFirst(3), times.dropFirst(4)).allSatisfy { $1 - $0 == 1000 })
    }
}
