internal import System

/// How the pool stops.
extension PoolState {
    mutating func stop(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        let isFirst = phase != .stopping
        if isFirst {
            actions += [.notify(.stopping), .log(.draining(signal))]
        }
        let milliseconds = signal == .quit ? PoolLimits.quitMilliseconds : drainMilliseconds
        beginStopping(within: milliseconds, at: now, &actions)
        guard !isFirst, signal != .quit else { return }
        // TERM after QUIT: from now on workers get less time.
        for id in workers.keys.sorted() { shortenDrain(id, within: milliseconds, at: now, &actions) }
    }

    /// Begins to stop the pool: closes the listener, kills the loader, and tells the workers to leave.
    /// The pool never returns to an earlier phase.
    mutating func beginStopping(within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        phase = .stopping
        isLoadWanted = false
        load = nil
        actions.append(.closeListener)
        for id in loaders.keys.sorted() { kill(loader: id, &actions) }
        for id in workers.keys.sorted() {
            if workers[id]?.isLeaving == true {
                shortenDrain(id, within: milliseconds, at: now, &actions)
            } else {
                leave(id, within: milliseconds, at: now, &actions)
            }
        }
    }
}
