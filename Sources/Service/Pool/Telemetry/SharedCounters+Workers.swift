internal import System

/// The table of workers. The supervisor claims a row before it starts a worker, and frees the row when the worker has
/// ended for any reason. In between, the worker writes its row; the supervisor adds only the process number and the
/// state ``WorkerState/draining``.
extension SharedCounters {
    private enum Field: Int {
        case state, process, generation, started, requests, lastDuration, turned
    }

    /// Claims a free row for a worker that is about to start.
    ///
    /// - Returns: the number of the row; nil when all rows are taken. A worker without a row serves as well, but
    ///   `status` does not show it.
    package func claimWorker(generation: UInt64, atMilliseconds now: Int64) -> Int? {
        for slot in 0..<TelemetryLimits.workerSlots
        where memory.exchange(0, for: WorkerState.starting.rawValue, at: word(slot, .state)) {
            for field in [Field.process, .requests, .lastDuration, .turned] {
                memory.store(0, at: word(slot, field))
            }
            memory.store(generation, at: word(slot, .generation))
            memory.store(UInt64(bitPattern: now), at: word(slot, .started))
            return slot
        }
        return nil
    }

    package func releaseWorker(_ slot: Int) {
        guard isSlot(slot) else { return }
        memory.store(0, at: word(slot, .state))
    }

    /// Writes a worker's process number into its row. Called once for each worker.
    package func nameWorker(_ slot: Int, processNumber: Int32) {
        guard isSlot(slot) else { return }
        memory.store(UInt64(UInt32(bitPattern: processNumber)), at: word(slot, .process))
    }

    package func setWorker(_ slot: Int, _ state: WorkerState) {
        guard isSlot(slot) else { return }
        memory.store(state.rawValue, at: word(slot, .state))
    }

    /// Writes into a worker's row when its loop turned, in nanoseconds of the monotonic clock. So the supervisor
    /// sees that the worker is alive.
    package func noteTurn(worker slot: Int, atNanoseconds now: UInt64) {
        guard isSlot(slot) else { return }
        memory.store(now, at: word(slot, .turned))
    }

    /// Returns when the loop of a worker turned last, 0 before its first turn; nil when there is no such row.
    package func lastTurn(ofWorker slot: Int) -> UInt64? {
        isSlot(slot) ? memory.load(word(slot, .turned)) : nil
    }

    package func finishRequest(worker slot: Int?, microseconds: UInt64) {
        observe(nil, nanoseconds: microseconds.multipliedReportingOverflow(by: 1000).partialValue)
        guard let slot, isSlot(slot) else { return }
        memory.add(1, to: word(slot, .requests))
        memory.store(microseconds, at: word(slot, .lastDuration))
    }

    package var workers: [WorkerStatus] {
        (0..<TelemetryLimits.workerSlots).compactMap { slot in
            guard let state = WorkerState(rawValue: memory.load(word(slot, .state))) else { return nil }
            return WorkerStatus(
                slot: slot, processNumber: Int32(truncatingIfNeeded: memory.load(word(slot, .process))),
                state: state, generation: memory.load(word(slot, .generation)),
                startedMilliseconds: Int64(bitPattern: memory.load(word(slot, .started))),
                requests: memory.load(word(slot, .requests)),
                lastRequestMicroseconds: memory.load(word(slot, .lastDuration)))
        }
    }

    /// Returns true when the row exists. A worker gets its row number as a command-line argument, and a number without
    /// a row is ignored.
    private func isSlot(_ slot: Int) -> Bool {
        slot >= 0 && slot < TelemetryLimits.workerSlots
    }

    private func word(_ slot: Int, _ field: Field) -> Int {
        layout.slots + slot * CounterLayout.slotWords + field.rawValue
    }
}

/// One row of the table of workers in shared memory.
package struct WorkerStatus: Sendable, Hashable {
    package let slot: Int
    /// The worker's process number; 0 until it is written.
    package let processNumber: Int32
    package let state: WorkerState
    package let generation: UInt64
    /// The time at which the worker started, in milliseconds since 1970.
    package let startedMilliseconds: Int64
    package let requests: UInt64
    package let lastRequestMicroseconds: UInt64
}

package enum WorkerState: UInt64, Sendable, Hashable, CaseIterable {
    /// The supervisor has started the worker, and the worker is not ready yet.
    case starting = 1
    case idle = 2
    case busy = 3
    /// The worker accepts no new connections and finishes what it has.
    case draining = 4
}
