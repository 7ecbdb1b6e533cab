/// Values about the pool that are not counters: highest values since the pool was started, times, and conditions that
/// the processes share. The raw value is the name in `status`, where `status` shows the gauge.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
public enum Gauge: String, Sendable, Hashable, CaseIterable {
    /// The highest number of connections that waited at one time for a worker to accept them.
    case listenQueue = "max listen queue"
    /// The highest number of workers that handled a request at one time.
    case activeWorkers = "max active processes"
    /// The time of the last log line about dropped records, in milliseconds of the monotonic clock.
    case dropsLoggedAt = "drops logged at"
    /// The number of times that the supervisor has seen the socket's file name disappear or come back. An odd number
    /// means that the name is gone now, or that another socket has it.
    case socketGone = "socket gone"
    /// The time at which a load last took effect, in milliseconds since 1970; 0 before the first.
    case loadedAt = "loaded at"
    /// How long the last load took, in milliseconds, whether it took effect or was refused.
    case loadMilliseconds = "load milliseconds"
    /// 1 while workers fail as soon as they start.
    case crashLoop = "crash loop"
}
