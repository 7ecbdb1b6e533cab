import Loader
import Supervisor
import System
import Telemetry
import Testing

@Suite("Marks in decision logs")
struct PoolMarksTests {
    private static let log = DecisionLogIdentity(path: "/d", identifierKey: "a")
    private static let otherKey = DecisionLogIdentity(path: "/d", identifierKey: "b")

    private static func settings(_ log: DecisionLogIdentity?) -> PoolSettings {
        PoolSettings(workerCount: 1, drainMilliseconds: 5000, decisionLog: log)
    }

    private static func marks(_ actions: [PoolAction]) -> [PoolAction] {
        actions.filter { action in
            switch action {
            case .mark, .markFormer, .markRules, .reopenLogs: true
            default: false
            }
        }
    }

    /// Worker 2, the only one, serves generation 1 and writes into this log.
    private static func running(_ log: DecisionLogIdentity?) -> Script {
        var script = Script()
        script.next(.start)
        script.next(.loaded(1, settings(log)))
        script.next(.ended(1, .exited(0)))
        script.next(.ready(2))
        script.next(.ended(3, .exited(0)))
        return script
    }

    /// Loader 4 delivers generation 2, whose worker 5 replaces worker 2. Returns the marks of this reload.
    private static func reload(_ script: inout Script, _ log: DecisionLogIdentity?) -> [PoolAction] {
        var actions = script.next(.signal(.hangup))
        actions += script.next(.loaded(4, settings(log)))
        actions += script.next(.ended(4, .exited(0)))
        actions += script.next(.ready(5))
        actions += script.next(.ended(2, .exited(0)))
        return marks(actions)
    }

    @Test("open a log before the first worker starts, and close it after the last worker has ended")
    func life() {
        var script = Script()
        script.next(.start)
        let actions = script.next(.loaded(1, Self.settings(Self.log)))
        #expect(
            actions == [
                .mark(.open, Self.log), .markRules(1, Self.log), .startWorker(2, generation: 1, hints: []),
            ]
        )
        script.next(.ended(1, .exited(0)))
        script.next(.ready(2))
        script.next(.ended(3, .exited(0)))
        #expect(Self.marks(script.next(.signal(.terminate))).isEmpty)
        let last = script.next(.ended(2, .exited(0)))
        #expect(last == [.mark(.close, Self.log), .log(.stopped), .finish(status: 0)])
    }

    @Test("come once a minute by the times of the events, also after the machine has slept")
    func minutes() {
        var script = Self.running(Self.log)
        let begin = script.now
        #expect(script.state.nextDeadline == begin + 60_000)
        #expect(script.after(59_999, .tick).isEmpty)
        #expect(script.after(1, .tick) == [.mark(.minute, Self.log)])
        #expect(script.after(59_999, .tick).isEmpty)
        // After a minute any event leads to the mark, not only a tick.
        #expect(script.after(5, .recycle(2)).first == .mark(.minute, Self.log))
        #expect(Self.marks(script.after(3_600_000, .tick)) == [.mark(.minute, Self.log)])
        #expect(Self.marks(script.after(59_999, .tick)).isEmpty)
    }

    @Test("are not written when there is no decision log")
    func noDecisionLog() {
        var script = Self.running(nil)
        #expect(script.state.nextDeadline == nil)
        #expect(Self.marks(script.after(120_000, .tick)).isEmpty)
        #expect(Self.reload(&script, nil).isEmpty)
        #expect(Self.marks(script.next(.signal(.user1))) == [.reopenLogs])
    }

    @Test("name the rules of each load before its workers start, and do not open the log again")
    func reload() {
        var script = Self.running(Self.log)
        #expect(Self.reload(&script, Self.log) == [.markRules(2, Self.log)])
        #expect(Self.marks(script.after(60_000, .tick)) == [.mark(.minute, Self.log)])
    }

    @Test("close a log when the last worker that writes into it has ended, also when only the key changes")
    func change() {
        for other in [Self.otherKey, DecisionLogIdentity(path: "/e", identifierKey: "a")] {
            var script = Self.running(Self.log)
            #expect(
                Self.reload(&script, other) == [
                    .mark(.open, other), .markRules(2, other), .mark(.close, Self.log),
                ]
            )
            #expect(Self.marks(script.after(60_000, .tick)) == [.mark(.minute, other)])
        }
        var script = Self.running(Self.log)
        #expect(Self.reload(&script, nil) == [.mark(.close, Self.log)])
        script.next(.ended(6, .exited(0)))
        #expect(script.state.nextDeadline == nil)
        // Without a log before, the first minute begins when the log is opened.
        script = Self.running(nil)
        script.now += 500_000
        #expect(Self.reload(&script, Self.log) == [.mark(.open, Self.log), .markRules(2, Self.log)])
        #expect(script.state.nextDeadline == script.now + 60_000)
    }

    @Test("are written into both logs while two generations write")
    func twoGenerations() {
        var script = Self.running(Self.log)
        script.next(.signal(.hangup))
        script.next(.loaded(4, Self.settings(Self.otherKey)))
        // The new worker is not ready in time, so the load is refused.
        #expect(
            Self.marks(script.after(60_000, .tick)) == [
                .markRules(1, Self.log), .mark(.minute, Self.log), .mark(.minute, Self.otherKey),
            ]
        )
    }

    @Test("close the log that a refused generation had opened")
    func refused() {
        var script = Self.running(Self.log)
        script.next(.signal(.hangup))
        script.next(.loaded(4, Self.settings(Self.otherKey)))
        // The new workers end before they are ready, once more than the pool tries again.
        var actions: [PoolAction] = []
        for worker in 5...8 { actions += script.after(10, .ended(worker, .exited(70))) }
        #expect(actions.contains { if case .log(.reloadRefused) = $0 { true } else { false } })
        // Both logs are one file, so the serving rules are named again after the rules that never served.
        #expect(Self.marks(actions) == [.markRules(1, Self.log), .mark(.close, Self.otherKey)])
    }

    @Test("name the serving rules again when a load is refused after its rules were named")
    func refusedRules() {
        let elsewhere = DecisionLogIdentity(path: "/e", identifierKey: "a")
        for (log, again) in [
            (Self.log, [PoolAction.markRules(1, Self.log)]), (elsewhere, [.mark(.close, elsewhere)]),
            (nil, []),
        ] {
            var script = Self.running(Self.log)
            script.next(.signal(.hangup))
            script.next(.loaded(4, Self.settings(log)))
            script.next(.ended(4, .exited(0)))
            var actions: [PoolAction] = []
            for worker in 5...8 { actions += script.after(10, .ended(worker, .exited(70))) }
            #expect(Self.marks(actions) == again)
        }
        // When the loader itself refuses, its rules were not named.
        var script = Self.running(Self.log)
        script.next(.signal(.hangup))
        #expect(Self.marks(script.next(.refused(4, refusal))).isEmpty)
    }

    @Test("close the old file and open the new file when the log is rotated")
    func rotation() {
        var script = Self.running(Self.log)
        #expect(
            Self.marks(script.next(.signal(.user1))) == [
                .mark(.close, Self.log), .reopenLogs, .mark(.open, Self.log), .markRules(1, Self.log),
            ]
        )
    }

    @Test("go on after an upgrade; the log is not opened again")
    func upgrade() {
        var script = Script()
        script.state = PoolState(
            adopting: 7,
            settings: Self.settings(Self.log),
            workers: [(id: 3, isReady: true)],
            sequence: 7,
            hints: [],
            at: script.now
        )
        #expect(Self.marks(script.next(.start)).isEmpty)
        #expect(Self.marks(script.next(.loaded(4, Self.settings(Self.log)))) == [.markRules(8, Self.log)])
        // The new worker is not ready in time, so the load is refused.
        let late = Self.marks(script.after(60_000, .tick))
        #expect(late == [.markRules(7, Self.log), .mark(.minute, Self.log)])
    }

    /// The pool has taken over generation 7 with these workers from a binary whose counters it does not understand.
    private static func countedOtherwise(_ log: DecisionLogIdentity?, workers: [ChildID]) -> Script {
        var script = Script()
        script.state = PoolState(
            adopting: 7,
            settings: PoolSettings(workerCount: 2, drainMilliseconds: 5000, decisionLog: log),
            workers: workers.map { (id: $0, isReady: true) },
            sequence: 7,
            hints: [],
            areCountersNew: true,
            at: script.now
        )
        return script
    }

    @Test("have two instances after an upgrade with other counters, until the last old worker ends")
    func twoInstances() {
        var script = Self.countedOtherwise(Self.log, workers: [3, 4])
        let begin: [PoolAction] = [.mark(.open, Self.log), .markRules(7, Self.log)]
        #expect(Self.marks(script.next(.start)) == begin)
        #expect(Self.marks(script.next(.refused(5, refusal))).isEmpty)
        let minute = Self.marks(script.after(60_000, .tick))
        #expect(minute == [.mark(.minute, Self.log), .markFormer(.minute, Self.log)])
        #expect(
            Self.marks(script.next(.signal(.user1))) == [
                .mark(.close, Self.log), .markFormer(.close, Self.log), .reopenLogs,
                .markFormer(.open, Self.log), .mark(.open, Self.log), .markRules(7, Self.log),
            ]
        )
        // A worker that replaces an old one uses the counters of this binary.
        #expect(Self.marks(script.next(.ended(3, .exited(0)))).isEmpty)
        #expect(Self.marks(script.next(.ended(4, .exited(0)))) == [.markFormer(.close, Self.log)])
        #expect(Self.marks(script.after(60_000, .tick)) == [.mark(.minute, Self.log)])
        let rotated = Self.marks(script.next(.signal(.user1)))
        #expect(rotated == [.mark(.close, Self.log), .reopenLogs] + begin)
    }

    @Test("close the old instance at once when no worker was taken over; without a log, no marks")
    func noFormerWorkers() {
        var script = Self.countedOtherwise(Self.log, workers: [])
        #expect(
            Self.marks(script.next(.start)) == [
                .mark(.open, Self.log), .markRules(7, Self.log), .markFormer(.close, Self.log),
            ]
        )
        script = Self.countedOtherwise(nil, workers: [3])
        #expect(Self.marks(script.next(.start)).isEmpty)
        #expect(Self.marks(script.next(.ended(3, .exited(0)))).isEmpty)
        #expect(Self.marks(script.next(.signal(.user1))) == [.reopenLogs])
    }
}
