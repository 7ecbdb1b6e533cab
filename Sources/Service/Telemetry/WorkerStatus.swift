/// One worker as the table in shared memory shows it.
public struct WorkerStatus: Sendable, Hashable {
    /// The number of its row.
    public let slot: Int
    /// Its process number; 0 until it has written it.
    public let processNumber: Int32
    /// What it is doing.
    public let state: WorkerState
    /// The sequence number of the generation it serves.
    public let generation: UInt64
    /// When it started, in milliseconds since 1970.
    public let startedMilliseconds: Int64
    /// Requests it has answered.
    public let requests: UInt64
    /// How long the last one took, in microseconds.
    public let lastRequestMicroseconds: UInt64
}
