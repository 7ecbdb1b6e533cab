/// How long connections have waited to be accepted, as far as one server can tell: it looks once in each turn.
///
/// The kernel wakes an idle worker for each connection. When connections wait for longer than a worker takes to wake up,
/// none is idle, or the idle ones stand still.
struct AcceptBacklog {
    /// An idle worker has woken up and accepted after this time.
    static let patience: UInt64 = 20_000_000
    /// A server that has not looked for so long was stopped itself, and cannot tell what waited meanwhile.
    static let standstill: UInt64 = 1_000_000_000

    /// Since when every look has shown waiting connections; nil when the last look has shown none.
    private(set) var since: UInt64?
    /// The last time from which on connections have waited for the whole ``patience``. An idle worker whose loop has not
    /// turned since then stands still.
    private(set) var neglectedSince: UInt64?
    private var lookedAt: UInt64 = 0

    /// Notes that a look has shown waiting connections.
    ///
    /// - Returns: for how long every look has shown some.
    mutating func showsConnections(at now: UInt64) -> UInt64 {
        if now - lookedAt > Self.standstill { since = nil }
        lookedAt = now
        let begun = since ?? now
        since = begun
        let age = now - begun
        if age >= Self.patience { neglectedSince = now - Self.patience }
        return age
    }

    /// Notes that no connection waits.
    mutating func showsNone() { since = nil }
}
