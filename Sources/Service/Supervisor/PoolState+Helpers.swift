internal import System

/// The helpers: loader and keeper. Each starts, reports a result and ends.
extension PoolState {
    mutating func helperEnded(
        _ id: ChildID, _ helper: Helper, _ exit: ChildExit, at now: Int64, _ actions: inout [PoolAction]
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
        }
    }

    mutating func helperNotStarted(
        _ id: ChildID, _ helper: Helper, _ refusal: PoolRefusal, at now: Int64, _ actions: inout [PoolAction]
    ) {
        switch helper.role {
        case .loader:
            guard let current = load, current.step == .loading(id) else { return }
            refuse(current, refusal, at: now, &actions)
        case .keeper(let generation):
            actions.append(.log(.notStored(generation, refusal)))
            if let storeWanted { store(storeWanted, at: now, &actions) }
        }
    }
}
