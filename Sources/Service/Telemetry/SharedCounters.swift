public import System
internal import Vocabulary

/// The counters of the pool, in memory that the supervisor makes and every worker inherits. Counting is one atomic
/// addition that cannot fail and never waits. The counts of a worker stay when it crashes, and no counter ever goes
/// down.
///
///     let counters = try SharedCounters(codes: ["endpoint-unknown"], startedAt: Clock.wallMilliseconds())
///     counters.add(.requests)
///     counters.add(code: "endpoint-unknown")
///     print(counters.value(.requests))  // 1
public final class SharedCounters: Sendable {
    let memory: SharedCounterMemory
    let layout: CounterLayout

    /// Makes new counters, all zero.
    ///
    /// - Parameters:
    ///   - codes: the stable codes that get a counter each.
    ///   - milliseconds: the time at which the pool was started, in milliseconds since 1970.
    /// - Throws: the failed system call.
    public init(codes: [String], startedAt milliseconds: Int64) throws(SystemCallError) {
        layout = CounterLayout(codes: codes)
        memory = try SharedCounterMemory(count: layout.wordCount, name: "retentiond-counters")
        memory.store(UInt64(bitPattern: milliseconds), at: layout.startedWord)
    }

    /// Maps counters that another process made.
    ///
    /// - Throws: the failed system call.
    public init(inheriting descriptor: consuming FileDescriptor, codes: [String]) throws(SystemCallError) {
        layout = CounterLayout(codes: codes)
        memory = try SharedCounterMemory(inheriting: descriptor, count: layout.wordCount)
    }

    /// The number of the descriptor that a child process inherits. It is close-on-exec, unless the caller places it for
    /// the child.
    public var descriptorNumber: Int32 { memory.descriptor.number }

    /// The time at which the pool was started, in milliseconds since 1970.
    public var startedMilliseconds: Int64 { Int64(bitPattern: memory.load(layout.startedWord)) }

    /// Adds `amount` to a counter.
    public func add(_ counter: Counter, _ amount: UInt64 = 1) {
        memory.add(amount, to: layout.word(of: counter))
    }

    public func value(_ counter: Counter) -> UInt64 {
        memory.load(layout.word(of: counter))
    }

    /// Counts one answer or event with this stable code. A code that ``init(codes:startedAt:)`` was not given
    /// counts as `other`.
    public func add(code: String) {
        memory.add(1, to: layout.word(ofCode: code))
    }

    /// The count of each code, in the order in which the codes were given, and last the count of `other`.
    public var codes: [(code: String, count: UInt64)] {
        let named = layout.codes.enumerated().map { ($1, memory.load(layout.firstCode + $0)) }
        return named + [("other", memory.load(layout.otherCodes))]
    }

    /// Adds a duration to the histogram of a phase; nil for the duration of a whole request.
    public func observe(_ phase: RequestPhase?, nanoseconds: UInt64) {
        let start = layout.histogram(of: phase)
        memory.add(1, to: start + LatencyHistogram.bucket(ofNanoseconds: nanoseconds))
        memory.add(nanoseconds, to: start + CounterLayout.histogramWords - 1)
    }

    /// The histogram of the durations of all requests so far.
    public var latency: LatencyHistogram { latency(of: nil) }

    /// Returns the histogram of a phase; of whole requests for nil.
    public func latency(of phase: RequestPhase?) -> LatencyHistogram {
        let start = layout.histogram(of: phase)
        let sum = start + CounterLayout.histogramWords - 1
        return LatencyHistogram(
            counts: (start..<sum).map { memory.load($0) },
            sumNanoseconds: memory.load(sum)
        )
    }

    /// Counts a worker that should not have ended.
    public func add(_ lost: LostWorker) {
        memory.add(1, to: layout.word(of: lost))
    }

    /// Returns the number of workers that ended in this way.
    public func value(_ lost: LostWorker) -> UInt64 {
        memory.load(layout.word(of: lost))
    }
}
