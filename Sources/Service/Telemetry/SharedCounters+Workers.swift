internal import System

/// The table of workers. The supervisor claims a row before it starts a worker and gives it back when the worker has
/// ended, however it ended; in between only that worker writes it.
extension SharedCounters {
    private enum Field: Int {
        case state, process, generation, started, requests, lastDuration
    }

    /// Claims a free row for a worker about to be started.
    ///
    /// - Returns: nil when all are taken; a worker without a row serves as well, but is not shown.
    public func claimWorker(generation: UInt64, atMilliseconds now: Int64) -> Int? {
        for slot in 0..<TelemetryLimits.workerSlots
        where memory.exchange(0, for: WorkerState.starting.rawValue, at: word(slot, .state)) {
            for field in [Field.process, .requests, .lastDuration] { memory.store(0, at: word(slot, field)) }
            memory.store(generation, at: word(slot, .generation))
            memory.store(UInt64(bitPattern: now), at: word(slot, .started))
            return slot
        }
        return nil
    }

    /// Gives a row back when its worker has ended.
    public func releaseWorker(_ slot: Int) {
        guard isSlot(slot) else { return }
        memory.store(0, at: word(slot, .state))
    }

    /// Writes a worker's process number, once.
    public func nameWorker(_ slot: Int, processNumber: Int32) {
        guard isSlot(slot) else { return }
        memory.store(UInt64(UInt32(bitPattern: processNumber)), at: word(slot, .process))
    }

    /// Says what a worker is doing.
    public func setWorker(_ slot: Int, _ state: WorkerState) {
        guard isSlot(slot) else { return }
        memory.store(state.rawValue, at: word(slot, .state))
    }

    /// Counts an answered request, for the worker and in the histogram.
    ///
    /// - Parameters:
    ///   - slot: the worker's row; nil for a worker without one.
    ///   - microseconds: from the accept, or from when nginx received the request, to the answer.
    public func finishRequest(worker slot: Int?, microseconds: UInt64) {
        observe(microseconds: microseconds)
        guard let slot, isSlot(slot) else { return }
        memory.add(1, to: word(slot, .requests))
        memory.store(microseconds, at: word(slot, .lastDuration))
    }

    /// The workers there are, by row.
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
                lastRequestMicroseconds: memory.load(word(slot, .lastDuration))
            )
        }
    }

    /// A row number reaches a worker from outside, as an argument; one that does not exist is ignored.
    private func isSlot(_ slot: Int) -> Bool {
        slot >= 0 && slot < TelemetryLimits.workerSlots
    }

    private func word(_ slot: Int, _ field: Field) -> Int {
        layout.slots + slot * CounterLayout.slotWords + field.rawValue
    }
}
