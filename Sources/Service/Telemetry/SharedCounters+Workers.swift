internal import System

/// The table of workers. The supervisor claims a row before it starts a worker, and frees the row when the worker has
/// ended for any reason. In between, the worker writes its row; the supervisor adds only the process number and the
/// state ``WorkerState/draining``.
extension SharedCounters {
    private enum Field: Int {
        case state, process, generation, started, requests, lastDuration, turns, wait
    }

    /// Claims a free row for a worker that is about to start.
    ///
    /// - Returns: the number of the row; nil when all rows are taken. A worker without a row serves as well, but
    ///   `status` does not show it.
    public func claimWorker(generation: UInt64, atMilliseconds now: Int64) -> Int? {
        for slot in 0..<TelemetryLimits.workerSlots
        where memory.exchange(0, for: WorkerState.starting.rawValue, at: word(slot, .state)) {
            for field in [Field.process, .requests, .lastDuration, .turns, .wait] {
                memory.store(0, at: word(slot, field))
            }
            memory.store(generation, at: word(slot, .generation))
            memory.store(UInt64(bitPattern: now), at: word(slot, .started))
            raise(.workerRows, to: UInt64(slot) + 1)
            return slot
        }
        return nil
    }

    /// Frees a row when its worker has ended.
    public func releaseWorker(_ slot: Int) {
        guard isSlot(slot) else { return }
        memory.store(0, at: word(slot, .state))
    }

    /// Writes a worker's process number into its row. Called once for each worker.
    public func nameWorker(_ slot: Int, processNumber: Int32) {
        guard isSlot(slot) else { return }
        memory.store(UInt64(UInt32(bitPattern: processNumber)), at: word(slot, .process))
    }

    /// Writes a worker's state into its row.
    public func setWorker(_ slot: Int, _ state: WorkerState) {
        guard isSlot(slot) else { return }
        memory.store(state.rawValue, at: word(slot, .state))
    }

    /// Counts a turn of a worker's loop, so that the supervisor sees that the worker is alive.
    public func noteTurn(worker slot: Int) {
        guard isSlot(slot) else { return }
        memory.add(1, to: word(slot, .turns))
    }

    /// Returns how many turns the loop of a worker has made; nil when there is no such row.
    public func turns(ofWorker slot: Int) -> UInt64? {
        isSlot(slot) ? memory.load(word(slot, .turns)) : nil
    }

    /// Writes into a worker's row how long a request that reached this worker now would wait for its turn.
    public func setWait(worker slot: Int, microseconds: UInt64) {
        guard isSlot(slot) else { return }
        memory.store(microseconds, at: word(slot, .wait))
    }

    /// Returns the shortest of these waits, in microseconds, among the other workers that accept connections; nil when
    /// there is no such worker.
    public func leastWait(besides own: Int) -> UInt64? {
        var least: UInt64?
        for slot in 0..<min(TelemetryLimits.workerSlots, Int(clamping: highest(.workerRows))) {
            let state = WorkerState(rawValue: memory.load(word(slot, .state)))
            guard slot != own, state == .idle || state == .busy else { continue }
            least = min(least ?? .max, memory.load(word(slot, .wait)))
        }
        return least
    }

    /// Counts an answered request in the histogram and in the worker's row.
    ///
    /// - Parameters:
    ///   - slot: the number of the worker's row; nil for a worker without a row.
    ///   - microseconds: the time from the accept, or from the moment nginx received the request, to the answer.
    public func finishRequest(worker slot: Int?, microseconds: UInt64) {
        observe(nil, nanoseconds: microseconds.multipliedReportingOverflow(by: 1000).partialValue)
        guard let slot, isSlot(slot) else { return }
        memory.add(1, to: word(slot, .requests))
        memory.store(microseconds, at: word(slot, .lastDuration))
    }

    /// The workers that have a row, in the order of the rows.
    public var workers: [WorkerStatus] {
        (0..<TelemetryLimits.workerSlots).compactMap { slot in
            guard let state = WorkerState(rawValue: memory.load(word(slot, .state))) else { return nil }
            return WorkerStatus(
                slot: slot,
                processNumber: Int32(truncatingIfNeeded: memory.load(word(slot, .process))),
                state: state,
                generation: memory.load(word(slot, .generation)),
                startedMilliseconds: Int64(bitPattern: memory.load(word(slot, .started))),
                requests: memory.load(word(slot, .requests)),
                lastRequestMicroseconds: memory.load(word(slot, .lastDuration)),
                waitMicroseconds: memory.load(word(slot, .wait))
            )
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
