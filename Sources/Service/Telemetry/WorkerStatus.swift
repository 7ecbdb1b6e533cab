/// One row of the table of workers in shared memory.
public struct WorkerStatus: Sendable, Hashable {
    /// The number of the worker's row.
    public let slot: Int
    /// The worker's process number; 0 until it is written.
    public let processNumber: Int32
    public let state: WorkerState
    /// The sequence number of the generation that the worker serves.
    public let generation: UInt64
    /// The time at which the worker started, in milliseconds since 1970.
    public let startedMilliseconds: Int64
    /// The number of requests that the worker has answered.
    public let requests: UInt64
    /// The duration of the worker's last request, in microseconds.
    public let lastRequestMicroseconds: UInt64
}
