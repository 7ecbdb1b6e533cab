public import FastCGI

/// How one worker behaves.
public struct WorkerSettings: Sendable, Hashable {
    /// How long TERM and INT let leaving take. A supervisor says with each drain how long that one may take.
    public var drainMilliseconds: UInt64 = 5_000
    /// How long QUIT lets leaving take: requests have deadlines far below it.
    public var quitMilliseconds: UInt64 = 60_000
    /// How long leaving may take when others take this worker's place, or when its supervisor is gone: never less than
    /// a request's own deadline, because nobody asked for haste.
    public var replacementMilliseconds: UInt64 { max(drainMilliseconds, 1_000) }
    /// After so many requests the worker asks to be replaced; nil for never.
    public var requestCountLimit: UInt64?
    /// Connections and their times.
    public var fastCGI = FastCGISettings()

    /// The defaults.
    public init() {}

    /// The limit of one worker when each is to be replaced after about `requestCount` requests: up to a tenth more, so
    /// that workers which started together do not leave together. 0 means never.
    public static func requestCountLimit(
        around requestCount: UInt64,
        using generator: inout some RandomNumberGenerator
    ) -> UInt64? {
        guard requestCount > 0 else { return nil }
        let (sum, overflow) = requestCount.addingReportingOverflow(
            UInt64.random(in: 0...requestCount / 10, using: &generator)
        )
        return overflow ? requestCount : sum
    }
}

/// Why a worker's loop ended.
public enum WorkerOutcome: Sendable, Hashable {
    /// It was told to leave, and nothing was left to do.
    case drained
    /// It was told to leave, and so many connections were still open when its time was over.
    case cutOff(connectionCount: Int)
    /// Waiting itself failed.
    case failed(FastCGIError)
}
