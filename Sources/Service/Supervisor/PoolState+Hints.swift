/// Chains that vouched for a payload somewhere, on their way to the other workers and to the disk.
extension PoolState {
    /// A chain that is new to the pool reaches its other workers at once, and the disk when it is time.
    mutating func note(_ chain: [UInt8], from id: ChildID, _ actions: inout [PoolAction]) {
        guard hints.note(chain) else { return }
        areHintsUnsaved = true
        for other in workers.keys.sorted() where other != id && workers[other]?.isLeaving == false {
            actions.append(.tell(other, hint: chain))
        }
    }

    /// When hints are to be written, nil when they are.
    var hintDeadline: Int64? { areHintsUnsaved ? earliestHintSave : nil }

    mutating func saveHintsWhenDue(at now: Int64, _ actions: inout [PoolAction]) {
        guard now >= earliestHintSave else { return }
        saveHints(at: now, &actions)
    }

    /// Writes what is not written, also before its time: when this process ends or becomes another.
    mutating func saveHints(at now: Int64, _ actions: inout [PoolAction]) {
        guard areHintsUnsaved else { return }
        areHintsUnsaved = false
        earliestHintSave = now + PoolLimits.hintMilliseconds
        actions.append(.saveHints(hints.list))
    }
}
