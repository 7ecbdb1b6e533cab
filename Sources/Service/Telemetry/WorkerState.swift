/// What a worker is doing.
public enum WorkerState: UInt64, Sendable, Hashable, CaseIterable {
    /// Started, not ready yet.
    case starting = 1
    /// Waiting for requests.
    case idle = 2
    /// Handling one.
    case busy = 3
    /// Finishing.
    case draining = 4
}
