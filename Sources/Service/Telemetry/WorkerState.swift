public enum WorkerState: UInt64, Sendable, Hashable, CaseIterable {
    /// The supervisor has started the worker, and the worker is not ready yet.
    case starting = 1
    /// The worker waits for requests.
    case idle = 2
    /// The worker handles a request.
    case busy = 3
    /// The worker accepts no new connections and finishes what it has.
    case draining = 4
}
