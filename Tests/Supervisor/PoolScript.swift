import Logging
@testable import Pool
import System

/// The state machine of a pool, which a test drives event by event.
struct Script {
    var state = PoolState(sequence: 0)
    var now: Int64 = 1_000_000

    @discardableResult
    mutating func next(_ kind: PoolEvent.Kind) -> [PoolAction] { after(0, kind) }

    @discardableResult
    mutating func after(_ milliseconds: Int64, _ kind: PoolEvent.Kind) -> [PoolAction] {
        now += milliseconds
        return state.handle(PoolEvent(at: now, kind))
    }

    /// Workers 2 and 3 serve generation 1. Loader 1 has made it from the generation that served before, and loader 4 has refused
    /// the pushed files.
    static func running(drainMilliseconds: Int64 = 5000) -> Script {
        var script = Script()
        script.start(drainMilliseconds: drainMilliseconds)
        return script
    }

    mutating func start(drainMilliseconds: Int64 = 5000) {
        next(.start)
        next(.loaded(1, PoolSettings(workerCount: 2, drainMilliseconds: drainMilliseconds)))
        next(.ended(1, .exited(0)))
        next(.ready(2))
        next(.ready(3))
        next(.refused(4, refusal))
        next(.ended(4, .exited(1)))
        now += 1000
    }

    /// The pool of ``running(drainMilliseconds:)`` after a HUP: loader 5 has made generation 3, and workers 6 and
    /// 7 are starting.
    static func reloading() -> Script {
        var script = running()
        script.next(.signal(.hangup))
        script.next(.loaded(5, PoolSettings(workerCount: 2, drainMilliseconds: 5000)))
        script.next(.ended(5, .exited(0)))
        return script
    }
}

let refusal = ServiceError(code: "bad", "no")

extension PoolAction {
    /// A line of the log, by its text.
    static func log(
        _ text: String, worker: Int? = nil, generation: Int? = nil, _ refusal: ServiceError? = nil,
        _ fields: [String: String] = [:]
    ) -> PoolAction {
        let isError = ["start refused", "workers keep failing"].contains(text)
        let isUsual = ["ready", "reload accepted", "draining", "stopped"].contains(text)
        return .log(
            PoolNotice(
                isError ? .error : isUsual ? .notice : .warning, text, worker: worker,
                generation: generation, refusal, fields))
    }
}

func verdict(_ sequence: Int, at milliseconds: Int64, _ refusal: ServiceError?, serving: Int?)
    -> PoolVerdict
{
    PoolVerdict(
        sequence: sequence, startedMilliseconds: milliseconds, source: .pushed, refusal: refusal,
        serving: serving)
}
