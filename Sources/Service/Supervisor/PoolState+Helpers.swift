internal import System

/// The helpers: loader, keeper and checker. Each starts, reports a result and ends.
extension PoolState {
    mutating func helperEnded(
        _ id: ChildID,
        _ helper: Helper,
        _ exit: ChildExit,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        switch helper.role {
        case .loader:
            guard let current = load, current.step == .loading(id) else { return }
            let message = "the loader ended with \(exit) before it answered"
            refuse(current, PoolRefusal(code: "load-crashed", message: message), at: now, &actions)
        case .keeper(let generation):
            if !exit.isSuccess && phase != .stopping {
                let refusal = PoolRefusal(code: "store-failed", message: "the keeper ended with \(exit)")
                actions.append(.log(.notStored(generation, refusal)))
            }
            if let storeWanted { store(storeWanted, at: now, &actions) }
        case .checker:
            guard phase == .running else { return }
            if exit.isSuccess {
                saveHints(at: now, &actions)
                actions += [.log(.upgrading), .upgrade]
            } else {
                isUpgrading = false
                let message =
                    "the new binary's -t ended with \(exit); its own messages, if any, are the lines above"
                actions.append(
                    .log(.upgradeRefused(PoolRefusal(code: "upgrade-check-failed", message: message)))
                )
            }
        }
    }

    mutating func helperNotStarted(
        _ id: ChildID,
        _ helper: Helper,
        _ refusal: PoolRefusal,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        switch helper.role {
        case .loader:
            guard let current = load, current.step == .loading(id) else { return }
            refuse(current, refusal, at: now, &actions)
        case .keeper(let generation):
            actions.append(.log(.notStored(generation, refusal)))
            if let storeWanted { store(storeWanted, at: now, &actions) }
        case .checker:
            isUpgrading = false
            actions.append(.log(.upgradeRefused(refusal)))
        }
    }

    /// Starts the checker for a wanted upgrade. Waits until no load, no helper and no older generation is left, so that
    /// only workers have to be handed over.
    mutating func beginWantedUpgrade(at now: Int64, _ actions: inout [PoolAction]) {
        guard isUpgradeWanted, !isUpgrading, load == nil, helpers.isEmpty, held.count <= 1,
            phase == .running
        else { return }
        isUpgradeWanted = false
        isUpgrading = true
        let id = newChild()
        helpers[id] = Helper(role: .checker, deadline: now + PoolLimits.checkerMilliseconds)
        actions.append(.startChecker(id))
    }
}
