internal import System

/// The end.
extension PoolState {
    mutating func stop(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        let isFirst = phase != .stopping
        if isFirst {
            actions += [.notify(.stopping), .log(.draining(signal))]
        }
        let milliseconds = signal == .quit ? PoolLimits.quitMilliseconds : drainMilliseconds
        leaveForGood(within: milliseconds, at: now, &actions)
        guard !isFirst, signal != .quit else { return }
        // TERM after QUIT: less patience from now on.
        for id in workers.keys.sorted() { hurry(id, within: milliseconds, at: now, &actions) }
        for (id, helper) in helpers {
            helpers[id]?.deadline = min(helper.deadline, now + milliseconds)
        }
    }

    /// From here on there is only one way.
    mutating func leaveForGood(within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        phase = .stopping
        isLoadWanted = false
        isUpgradeWanted = false
        storeWanted = nil
        load = nil
        actions.append(.closeListener)
        for id in helpers.keys.sorted() {
            guard let helper = helpers[id] else { continue }
            if case .keeper = helper.role {
                helpers[id]?.deadline = min(helper.deadline, now + milliseconds)
            } else {
                kill(helper: id, &actions)
            }
        }
        for id in workers.keys.sorted() {
            if workers[id]?.isLeaving == true {
                hurry(id, within: milliseconds, at: now, &actions)
            } else {
                leave(id, within: milliseconds, at: now, &actions)
            }
        }
    }
}
