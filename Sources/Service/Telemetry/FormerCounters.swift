public import System
internal import Vocabulary

/// The counters of an older program whose list of counters differs from this program's. Only the instance and the
/// number of the last decision record can be read from them. They are needed as long as workers of the older program
/// write records.
public final class FormerCounters: Sendable {
    private let memory: SharedCounterMemory
    private static let layout = CounterLayout(codes: [])

    /// Maps counters that another program made.
    ///
    /// - Throws: `telemetry.layout-mismatch` when the memory holds no counters, else the failed system call.
    public init(inheriting descriptor: consuming FileDescriptor) throws(TelemetryError) {
        memory = try SystemCallError.mapped(
            to: TelemetryError.init,
            giving: descriptor
        ) { descriptor throws(SystemCallError) in
            let count = try FileStatus(of: descriptor).byteCount / 8
            return try SharedCounterMemory(inheriting: descriptor, count: count)
        }
        guard memory.count > Self.layout.sequenceWord else { throw .layoutMismatch }
    }

    /// The identifier of the older counters, see ``SharedCounters/instance``.
    public var instance: String { LogText.instance(memory.load(Self.layout.instanceWord)) }

    /// The number of the last decision record of the older counters, see ``SharedCounters/lastSequence``.
    public var lastSequence: UInt64 { memory.load(Self.layout.sequenceWord) }
}
