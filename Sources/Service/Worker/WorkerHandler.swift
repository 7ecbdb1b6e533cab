public import FastCGI

/// The work of a worker: it answers requests with the one generation that the worker started with. ``WorkerLoop``
/// decides when each function is called.
public protocol WorkerHandler: AnyObject {
    func answer(_ request: inout FastCGIRequest) -> GatewayResponse

    /// Says whether a request is answered at once or waits for its turn. The arguments are the bytes of its parameters
    /// (``ParameterPairs``) and the time, in milliseconds since 1970.
    func classify(_ parameters: Span<UInt8>, wallMilliseconds: Int64) -> RequestClass

    /// Takes a chain hint that another worker sent. The handler verifies the hint when there is time, and never trusts
    /// it.
    func takeHint(_ hint: [UInt8])

    /// Returns the next chain hint for the supervisor, or nil when there is none. The loop asks after each turn.
    func nextHint() -> [UInt8]?

    /// Receives the counts of what has happened on the connections so far, before the first wait and after each turn.
    func turnEnded(_ counts: FastCGICounts)

    /// Learns how long it took to write the answer that the handler made last.
    func sent(nanoseconds: UInt64)

    /// Learns that the worker has begun to leave. The loop calls this after each turn while the worker leaves.
    func leaves()

    /// Opens the handler's log files again (USR1).
    func reopenLogs()
}

extension WorkerHandler {
    /// Answers every request at once.
    public func classify(_ parameters: Span<UInt8>, wallMilliseconds: Int64) -> RequestClass { .prompt }

    /// Ignores the hint.
    public func takeHint(_ hint: [UInt8]) {}

    /// Returns nil, because this handler has no hints.
    public func nextHint() -> [UInt8]? { nil }

    /// Ignores the counts.
    public func turnEnded(_ counts: FastCGICounts) {}

    /// Ignores the time.
    public func sent(nanoseconds: UInt64) {}

    /// Does nothing.
    public func leaves() {}

    /// Does nothing, because this handler has no log files.
    public func reopenLogs() {}
}
