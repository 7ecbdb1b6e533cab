public import FastCGI

/// What a worker does, apart from when: answers requests with the one generation it was born with.
public protocol WorkerHandler: AnyObject {
    /// Answers one request.
    func answer(_ request: inout FastCGIRequest) -> GatewayResponse

    /// Takes a chain hint that another worker sent: something to verify when there is time, never something to trust.
    func takeHint(_ hint: [UInt8])

    /// Gives the next chain hint for the supervisor, nil when there is none. Asked after each turn.
    func nextHint() -> [UInt8]?

    /// Hears, before the first wait and after each turn, what has happened on the connections so far.
    func turned(_ counts: FastCGICounts)

    /// Hears that the worker has begun to leave.
    func leaves()

    /// Opens its log files anew (USR1).
    func reopenLogs()
}

extension WorkerHandler {
    /// Does nothing.
    public func takeHint(_ hint: [UInt8]) {}

    /// Has none.
    public func nextHint() -> [UInt8]? { nil }

    /// Counts nothing.
    public func turned(_ counts: FastCGICounts) {}

    /// Tells nobody.
    public func leaves() {}

    /// Has none.
    public func reopenLogs() {}
}
