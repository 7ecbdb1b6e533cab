internal import Configuration
internal import Telemetry

/// Watches whether the loops of the workers turn.
extension Supervisor {
    /// The watch over the workers; nil when the configuration wants none.
    static func makeWatch(_ configuration: Configuration) -> WorkerWatch? {
        configuration.turnMilliseconds.map { pause in
            WorkerWatch(limit: configuration.stuckMilliseconds, pause: pause)
        }
    }

    /// Looks at the last turns of all workers when the next look is due, and passes stuck workers to the state. A worker
    /// without a row in the counters is not watched.
    func watchWorkers() {
        let now = Self.now
        guard let due = watch?.nextLook, now >= due else { return }
        var turns: [ChildID: UInt64] = [:]
        for (id, child) in children {
            if let slot = child.slot { turns[id] = counters.lastTurn(ofWorker: slot) }
        }
        for id in watch?.look(at: now, turns) ?? [] { take(.stuck(id)) }
    }
}
