package import System

/// The counters of the pool, in memory that the supervisor makes and every worker inherits. Counting is one atomic
/// addition that cannot fail and never waits. The counts of a worker stay when it crashes, and no counter ever goes
/// down.
package final class SharedCounters: Sendable {
    let memory: SharedCounterMemory
    let layout: CounterLayout

    package init(codes: [String], startedAt milliseconds: Int64) throws(SystemCallError) {
        layout = CounterLayout(codes: codes)
        memory = try SharedCounterMemory(count: layout.wordCount, name: "retentiond-counters")
        memory.store(UInt64(bitPattern: milliseconds), at: layout.startedWord)
    }

    package init(inheriting descriptor: consuming FileDescriptor, codes: [String]) throws(SystemCallError) {
        layout = CounterLayout(codes: codes)
        memory = try SharedCounterMemory(inheriting: descriptor, count: layout.wordCount)
    }

    /// The number of the descriptor that a child process inherits. It is close-on-exec, unless the caller places it for
    /// the child.
    package var descriptorNumber: Int32 { memory.descriptor.number }

    package var startedMilliseconds: Int64 { Int64(bitPattern: memory.load(layout.startedWord)) }

    package func add(_ counter: Counter, _ amount: UInt64 = 1) {
        memory.add(amount, to: layout.word(of: counter))
    }

    package func value(_ counter: Counter) -> UInt64 {
        memory.load(layout.word(of: counter))
    }

    /// Counts one answer or event with this stable code. A code that ``init(codes:startedAt:)`` was not given
    /// counts as `other`.
    package func add(code: String) {
        memory.add(1, to: layout.word(ofCode: code))
    }

    /// The count of each code, in the order in which the codes were given, and last the count of `other`.
    package var codes: [(code: String, count: UInt64)] {
        let named = layout.codes.enumerated().map { ($1, memory.load(layout.firstCode + $0)) }
        return named + [("other", memory.load(layout.otherCodes))]
    }

    /// Adds a duration to the histogram of a phase; nil for the duration of a whole request.
    package func observe(_ phase: RequestPhase?, nanoseconds: UInt64) {
        let start = layout.histogram(of: phase)
        memory.add(1, to: start + LatencyHistogram.bucket(ofNanoseconds: nanoseconds))
        memory.add(nanoseconds, to: start + CounterLayout.histogramWords - 1)
    }

    package var latency: LatencyHistogram { latency(of: nil) }

    package func latency(of phase: RequestPhase?) -> LatencyHistogram {
        let start = layout.histogram(of: phase)
        let sum = start + CounterLayout.histogramWords - 1
        return LatencyHistogram(
            counts: (start..<sum).map { memory.load($0) },
            sumNanoseconds: memory.load(sum)
        )
    }
}

extension SharedCounters {
    /// Returns the value of a gauge: for most gauges the highest value so far.
    package func highest(_ gauge: Gauge) -> UInt64 { memory.load(layout.word(of: gauge)) }

    package func raise(_ gauge: Gauge, to value: UInt64) {
        let word = layout.word(of: gauge)
        while true {
            let known = memory.load(word)
            guard value > known, !memory.exchange(known, for: value, at: word) else { return }
        }
    }

    package func set(_ gauge: Gauge, to value: UInt64) {
        memory.store(value, at: layout.word(of: gauge))
    }

    /// Sets the gauge to `now` when its last claim was at least `distance` before `now`, or when `now` is before that
    /// claim. Returns true when this call set it. When several processes ask at the same time, only one gets true.
    package func claim(_ gauge: Gauge, at now: UInt64, apart distance: UInt64) -> Bool {
        let word = layout.word(of: gauge)
        let last = memory.load(word)
        guard last == 0 || now < last || now - last >= distance else { return false }
        return memory.exchange(last, for: max(now, 1), at: word)
    }
}

/// The table that counts decisions by rule and arm. Workers claim its rows when they start. A row keeps its names and
/// its counts until the pool ends, so no count ever goes down, whatever rules are loaded. When all rows are taken,
/// further rules are counted together as ``DecisionRowKey/otherRule``.
extension SharedCounters {
    package static let decisionRowsOfGeneration = TelemetryLimits.decisionRows / 2

    /// Returns the number of the row with these names. Takes a free row when no row has them. Nil when the names are too long or no row
    /// is free.
    ///
    /// A row is claimed by its hash, and everyone who finds the hash in a row without text writes the same text. So
    /// a worker that dies in between leaves no row that nobody can use.
    package func claimDecisionRow(_ key: DecisionRowKey) -> Int? {
        let text = Array(key.text.utf8)
        guard text.count <= DecisionRow.textByteCount else { return nil }
        let hash = max(text.span.wordHash, 1)
        let count = TelemetryLimits.decisionRows
        for attempt in 0..<count {
            let row = (Int(truncatingIfNeeded: hash >> 1) + attempt) % count
            let start = decisionWord(row)
            if memory.load(start) == 0 {
                _ = memory.exchange(0, for: hash, at: start + DecisionRow.Word.hash)
            }
            guard memory.load(start) == hash else { continue }
            if memory.load(start + DecisionRow.Word.isReady) == 0 { write(key, to: start) }
            if self.key(at: start) == key { return row }
        }
        return nil
    }

    /// Counts decisions in a row. `reason` is a number below ``DecisionRow/reasonCount``.
    package func addDecision(row: Int, reason: Int, _ amount: UInt64 = 1) {
        guard isDecisionRow(row), reason >= 0, reason < DecisionRow.reasonCount else { return }
        memory.add(amount, to: decisionWord(row) + DecisionRow.Word.decisions + reason)
    }

    package var decisionRows: [DecisionRow] {
        (0..<TelemetryLimits.decisionRows).compactMap { decisionRow($0) }
    }

    package func decisionRow(_ row: Int) -> DecisionRow? {
        guard isDecisionRow(row), memory.load(decisionWord(row) + DecisionRow.Word.isReady) == 1 else {
            return nil
        }
        let start = decisionWord(row)
        guard let key = key(at: start) else { return nil }
        return DecisionRow(
            index: row, key: key,
            decisions: (0..<DecisionRow.reasonCount).map {
                memory.load(start + DecisionRow.Word.decisions + $0)
            })
    }

    private func isDecisionRow(_ row: Int) -> Bool { row >= 0 && row < TelemetryLimits.decisionRows }

    private func decisionWord(_ row: Int) -> Int { layout.decisions + row * DecisionRow.wordCount }

    private func write(_ key: DecisionRowKey, to start: Int) {
        let bytes = Array(key.text.utf8)
        memory.store(UInt64(bytes.count), at: start + DecisionRow.Word.byteCount)
        for place in stride(from: 0, to: bytes.count, by: 8) {
            let word = bytes[place..<min(place + 8, bytes.count)].reversed()
                .reduce(0) { $0 << 8 | UInt64($1) }
            memory.store(word, at: start + DecisionRow.Word.text + place / 8)
        }
        memory.store(1, at: start + DecisionRow.Word.isReady)
    }

    private func key(at start: Int) -> DecisionRowKey? {
        let byteCount = Int(clamping: memory.load(start + DecisionRow.Word.byteCount))
        let bytes = (0..<min(byteCount, DecisionRow.textByteCount)).map { place in
            let word = memory.load(start + DecisionRow.Word.text + place / 8)
            return UInt8(truncatingIfNeeded: word >> UInt64(place % 8 * 8))
        }
        return DecisionRowKey(text: String(decoding: bytes, as: UTF8.self))
    }
}

package struct DecisionRow: Sendable {
    package let index: Int
    package let key: DecisionRowKey
    package let decisions: [UInt64]

    package var served: UInt64 { decisions.reduce(0, &+) }

    package static let reasonCount = 16
    /// The most bytes of the key's text. Rules with longer names have no row of their own; our compiler makes no such rules.
    package static let textByteCount = 296

    enum Word {
        /// The hash of the key; 0 in a free row.
        static let hash = 0
        /// 1 when the text is complete.
        static let isReady = 1
        static let byteCount = 2
        static let text = 3
        static let decisions = text + textByteCount / 8
    }

    static let wordCount = Word.decisions + reasonCount
}

package struct DecisionRowKey: Sendable, Hashable {
    package let appAppleId: Int64
    package let environment: String
    package let rule: String
    package let arm: String

    package init(appAppleId: Int64, environment: String, rule: String = "", arm: String = "") {
        self.appAppleId = appAppleId
        self.environment = environment
        self.rule = rule
        self.arm = arm
    }

    /// The name of the row that counts all rules of a file which have no row of their own.
    package static let otherRule = "other"

    package static let everythingElse = DecisionRowKey(appAppleId: 0, environment: "other", rule: otherRule)

    /// The names one after the other: no text of JSON has a NUL.
    var text: String { ["\(appAppleId)", environment, rule, arm].joined(separator: "\0") }

    init?(text: String) {
        let names = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 4, let app = Int64(names[0]) else { return nil }
        self.init(appAppleId: app, environment: names[1], rule: names[2], arm: names[3])
    }
}

/// The table of workers. The supervisor claims a row before it starts a worker, and frees the row when the worker has
/// ended for any reason. In between, the worker writes its row; the supervisor adds only the process number and the
/// state ``WorkerState/draining``.
extension SharedCounters {
    private enum Field: Int {
        case state, process, generation, started, requests, lastDuration, turned
    }

    /// Claims a free row for a worker that is about to start. Nil when all rows are taken: a worker without a row serves as well, but
    /// `status` does not show it.
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
    package func setTurn(ofWorker slot: Int, atNanoseconds now: UInt64) {
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

package struct WorkerStatus: Sendable {
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
