public import System

/// The counters of a program that counts other things than this one: only what names and numbers decision records can be
/// read of them, for as long as workers of that program write such records.
public final class FormerCounters: Sendable {
    private let memory: SharedCounterMemory
    private static let layout = CounterLayout(codes: [])

    /// Shares counters that another program made.
    ///
    /// - Throws: `telemetry.layout-mismatch` for memory that no counters are in, else the failed system call.
    public init(inheriting descriptor: consuming FileDescriptor) throws(TelemetryError) {
        do {
            let count = try FileStatus(of: descriptor).byteCount / 8
            memory = try SharedCounterMemory(inheriting: descriptor, count: count)
        } catch {
            throw error.reason == .einval ? .layoutMismatch : .system(error)
        }
        guard memory.count > Self.layout.sequenceWord else { throw .layoutMismatch }
    }

    /// See ``SharedCounters/instance``.
    public var instance: String { LogText.instance(memory.load(Self.layout.instanceWord)) }

    /// See ``SharedCounters/lastSequence``.
    public var lastSequence: UInt64 { memory.load(Self.layout.sequenceWord) }
}
