/// Chain hints: chains that led to a valid payload in one worker go to the other workers and to the disk.
extension PoolState {
    /// Sends a chain that is new to the pool to the other workers at once. It is written to disk later.
    mutating func note(_ chain: [UInt8], from id: ChildID, _ actions: inout [PoolAction]) {
        guard hints.note(chain) else { return }
        areHintsUnsaved = true
        for other in workers.keys.sorted() where other != id && workers[other]?.isLeaving == false {
            actions.append(.sendHint(other, hint: chain))
        }
    }

    /// The earliest time to write the hints to disk; nil when all are written.
    var hintDeadline: Int64? { areHintsUnsaved ? earliestHintSave : nil }

    mutating func saveHintsWhenDue(at now: Int64, _ actions: inout [PoolAction]) {
        guard now >= earliestHintSave else { return }
        saveHints(at: now, &actions)
    }

    /// Writes the hints that are not on disk yet. Also called before they are due, when this process ends.
    mutating func saveHints(at now: Int64, _ actions: inout [PoolAction]) {
        guard areHintsUnsaved else { return }
        areHintsUnsaved = false
        earliestHintSave = now + PoolLimits.hintMilliseconds
        actions.append(.saveHints(hints.list))
    }
}
