/// Highest values that the pool has seen since it was started; the raw value is the name in `status`.
///
/// The order is the order in shared memory, as with ``Counter``.
public enum Gauge: String, Sendable, Hashable, CaseIterable {
    /// Connections that waited at one time for some worker to accept them.
    case listenQueue = "max listen queue"
    /// Workers that handled a request at one time.
    case activeWorkers = "max active processes"
    /// When the log last said that records are dropped: the monotonic clock in milliseconds.
    case dropsToldAt = "drops told at"
    /// How often the supervisor has found the name of its socket gone, or another socket under it: an odd number while it is.
    case socketGone = "socket gone"
}
