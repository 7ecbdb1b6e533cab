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
            case .mark, .markRules, .reopenLogs: true
            default: false
            }
        }
    }

    /// One worker, 2, serves generation 1 and writes into this log.
    private static func running(_ log: DecisionLogIdentity?) -> Script {
        var script = Script()
        script.next(.start)
        script.next(.loaded(1, settings(log)))
        script.next(.ended(1, .exited(0)))
        script.next(.ready(2))
        script.next(.ended(3, .exited(0)))
        return script
    }

    /// Loader 4 delivers generation 2, whose worker 5 takes over from worker 2.
    private static func reload(_ script: inout Script, _ log: DecisionLogIdentity?) -> [PoolAction] {
        var actions = script.next(.signal(.hangup))
        actions += script.next(.loaded(4, settings(log)))
        actions += script.next(.ended(4, .exited(0)))
        actions += script.next(.ready(5))
        actions += script.next(.ended(2, .exited(0)))
        return marks(actions)
    }

    @Test("open before the first worker starts, and close behind the last one")
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

    @Test("are one a minute by the clock of the events, however long a machine slept")
    func minutes() {
        var script = Self.running(Self.log)
        let begin = script.now
        #expect(script.state.nextDeadline == begin + 60_000)
        #expect(script.after(59_999, .tick).isEmpty)
        #expect(script.after(1, .tick) == [.mark(.minute, Self.log)])
        #expect(script.after(59_999, .tick).isEmpty)
        // Whatever happens then, the time has come.
        #expect(script.after(5, .recycle(2)).first == .mark(.minute, Self.log))
        #expect(Self.marks(script.after(3_600_000, .tick)) == [.mark(.minute, Self.log)])
        #expect(Self.marks(script.after(59_999, .tick)).isEmpty)
    }

    @Test("are none where no records are written")
    func none() {
        var script = Self.running(nil)
        #expect(script.state.nextDeadline == nil)
        #expect(Self.marks(script.after(120_000, .tick)).isEmpty)
        #expect(Self.reload(&script, nil).isEmpty)
        #expect(Self.marks(script.next(.signal(.user1))) == [.reopenLogs])
    }

    @Test("say the rules of each load before its workers start, and open nothing anew")
    func reload() {
        var script = Self.running(Self.log)
        #expect(Self.reload(&script, Self.log) == [.markRules(2, Self.log)])
        #expect(Self.marks(script.after(60_000, .tick)) == [.mark(.minute, Self.log)])
    }

    @Test("close a log when the last worker that writes into it is gone, also where only the key is another")
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
        // Where none was written before, a minute begins with the first.
        script = Self.running(nil)
        script.now += 500_000
        #expect(Self.reload(&script, Self.log) == [.mark(.open, Self.log), .markRules(2, Self.log)])
        #expect(script.state.nextDeadline == script.now + 60_000)
    }

    @Test("are in both logs while two generations write")
    func both() {
        var script = Self.running(Self.log)
        script.next(.signal(.hangup))
        script.next(.loaded(4, Self.settings(Self.otherKey)))
        #expect(
            Self.marks(script.after(60_000, .tick)) == [
                .mark(.minute, Self.log), .mark(.minute, Self.otherKey),
            ]
        )
    }

    @Test("close what a refused generation had opened")
    func refused() {
        var script = Self.running(Self.log)
        script.next(.signal(.hangup))
        script.next(.loaded(4, Self.settings(Self.otherKey)))
        // Its workers end before they are ready, once more than is tried again.
        var actions: [PoolAction] = []
        for worker in 5...8 { actions += script.after(10, .ended(worker, .exited(70))) }
        #expect(actions.contains { if case .log(.reloadRefused) = $0 { true } else { false } })
        #expect(Self.marks(actions) == [.mark(.close, Self.otherKey)])
    }

    @Test("end the old file and begin the new one when it is rotated")
    func rotation() {
        var script = Self.running(Self.log)
        #expect(
            Self.marks(script.next(.signal(.user1))) == [
                .mark(.close, Self.log), .reopenLogs, .mark(.open, Self.log), .markRules(1, Self.log),
            ]
        )
    }

    @Test("go on after an upgrade as if nothing had been")
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
        #expect(Self.marks(script.after(60_000, .tick)).first == .mark(.minute, Self.log))
    }
}
