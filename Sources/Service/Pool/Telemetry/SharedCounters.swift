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

    /// Stores the result of the last load. Only the supervisor calls this.
    ///
    /// Readers must not see half of a result: an odd number in the first word tells them that the supervisor is writing
    /// it.
    package func setLastReload(_ reload: LastReload) {
        let start = layout.lastReload
        let version = memory.load(start)
        memory.store(version | 1, at: start)
        memory.store(UInt64(bitPattern: reload.endedMilliseconds), at: start + 1)
        for (index, word) in Self.words(of: reload.refusalCode ?? "").enumerated() {
            memory.store(word, at: start + 2 + index)
        }
        memory.store((version | 1) &+ 1, at: start)
    }

    /// The result of the last load. Nil before the first load has ended, and nil while the supervisor is writing a
    /// result.
    package var lastReload: LastReload? {
        let start = layout.lastReload
        for _ in 0..<100 {
            let version = memory.load(start)
            guard version > 0 else { return nil }
            let ended = Int64(bitPattern: memory.load(start + 1))
            let code = Self.text(of: (0..<CounterLayout.codeWords).map { memory.load(start + 2 + $0) })
            guard version & 1 == 0, memory.load(start) == version else { continue }
            return LastReload(endedMilliseconds: ended, refusalCode: code.isEmpty ? nil : code)
        }
        return nil
    }

    private static func words(of text: String) -> [UInt64] {
        let bytes = Array(text.utf8.prefix(CounterLayout.codeWords * 8))
        return (0..<CounterLayout.codeWords).map { word in
            bytes.dropFirst(word * 8).prefix(8).enumerated().reduce(0) { sum, byte in
                sum | UInt64(byte.element) << UInt64(byte.offset * 8)
            }
        }
    }

    private static func text(of words: [UInt64]) -> String {
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The result of the last load, which the supervisor shares with every worker.
package struct LastReload: Sendable, Hashable {
    /// The time at which the load ended, in milliseconds since 1970.
    package let endedMilliseconds: Int64
    package let refusalCode: String?

    package init(endedMilliseconds: Int64, refusalCode: String?) {
        self.endedMilliseconds = endedMilliseconds
        self.refusalCode = refusalCode
    }
}
