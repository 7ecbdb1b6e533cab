public import System

/// The counters of the pool, in memory that the supervisor makes and every worker inherits: counting is one atomic
/// addition, what a worker counted stays when it crashes, and nothing is ever counted back.
///
/// Counting cannot fail and never waits.
public final class SharedCounters: Sendable {
    let memory: SharedCounterMemory
    let layout: CounterLayout

    /// Makes new counters, all zero.
    ///
    /// - Parameters:
    ///   - codes: the stable codes that are counted one by one.
    ///   - milliseconds: when the pool was started, since 1970.
    ///   - instance: the number of these counters; a random one unless a test says it.
    /// - Throws: the failed system call.
    public init(
        codes: [String],
        startedAt milliseconds: Int64,
        instance: UInt64 = .random(in: 1...UInt64.max)
    ) throws(SystemCallError) {
        layout = CounterLayout(codes: codes)
        memory = try SharedCounterMemory(count: layout.wordCount, name: "retentiond-counters")
        memory.store(layout.stamp, at: layout.stampWord)
        memory.store(UInt64(bitPattern: milliseconds), at: layout.startedWord)
        memory.store(instance, at: layout.instanceWord)
    }

    /// Shares counters that another process made.
    ///
    /// - Throws: `telemetry.layout-mismatch` when that process counts other things, as an older program may.
    public init(inheriting descriptor: consuming FileDescriptor, codes: [String]) throws(TelemetryError) {
        layout = CounterLayout(codes: codes)
        do {
            memory = try SharedCounterMemory(inheriting: descriptor, count: layout.wordCount)
        } catch {
            throw error.reason == .einval ? .layoutMismatch : .system(error)
        }
        guard memory.load(layout.stampWord) == layout.stamp else { throw .layoutMismatch }
    }

    /// The descriptor a child inherits; close-on-exec unless placed.
    public var descriptorNumber: Int32 { memory.descriptor.number }

    /// When the pool was started, in milliseconds since 1970.
    public var startedMilliseconds: Int64 { Int64(bitPattern: memory.load(layout.startedWord)) }

    /// Names these counters in decision records, with 16 hexadecimal digits: new with the counters, the same for every
    /// process that shares them, after an upgrade too.
    public var instance: String { LogText.instance(memory.load(layout.instanceWord)) }

    /// The number of the next decision record: 1, 2, … over all processes that share the counters. One that is taken and
    /// not written is a gap that a reader of the log can see.
    public func takeSequence() -> UInt64 { memory.next(layout.sequenceWord) }

    /// The number of the last decision record; 0 before the first.
    public var lastSequence: UInt64 { memory.load(layout.sequenceWord) }

    /// Counts.
    public func add(_ counter: Counter, _ amount: UInt64 = 1) {
        memory.add(amount, to: layout.word(of: counter))
    }

    /// What was counted.
    public func value(_ counter: Counter) -> UInt64 {
        memory.load(layout.word(of: counter))
    }

    /// Counts one answer or event with this stable code; a code not named at the start counts as `other`.
    public func add(code: String) {
        memory.add(1, to: layout.word(ofCode: code))
    }

    /// What was counted for each code, in the order they were named, and at last `other`.
    public var codes: [(code: String, count: UInt64)] {
        let named = layout.codes.enumerated().map { ($1, memory.load(layout.firstCode + $0)) }
        return named + [("other", memory.load(layout.otherCodes))]
    }

    /// Counts how long a request took.
    public func observe(microseconds: UInt64) {
        memory.add(1, to: layout.buckets + LatencyHistogram.bucket(ofMicroseconds: microseconds))
        memory.add(microseconds, to: layout.durationSum)
    }

    /// How long requests took until now.
    public var latency: LatencyHistogram {
        let counts = (layout.buckets..<layout.durationSum).map { memory.load($0) }
        return LatencyHistogram(counts: counts, sumMicroseconds: memory.load(layout.durationSum))
    }
}
