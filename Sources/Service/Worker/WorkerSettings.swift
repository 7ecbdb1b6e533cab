public import FastCGI

/// The limits and times of one worker.
public struct WorkerSettings: Sendable, Hashable {
    /// How long the worker may take to leave after TERM or INT. With each drain the supervisor says how long that one
    /// may take.
    public var drainMilliseconds: UInt64 = 5_000
    /// How long the worker may take to leave after QUIT. The deadlines of requests are far below it.
    public var quitMilliseconds: UInt64 = 60_000
    /// How long the worker may take to leave when another worker takes its place, or when its supervisor is gone. At
    /// least a second, longer than Apple waits for an answer (700 ms), because nobody asked for haste.
    public var replacementMilliseconds: UInt64 { max(drainMilliseconds, 1_000) }
    /// The number of answered requests after which the worker asks to be replaced; nil means never.
    public var requestCountLimit: UInt64?
    /// The longest time between two turns of the loop, in milliseconds: each turn shows the supervisor that the worker
    /// is alive. Nil waits for the next event, however long that takes.
    public var turnMilliseconds: Int32?
    /// The limits and times of the connections.
    public var fastCGI = FastCGISettings()

    /// Creates the default settings.
    public init() {}

    /// Returns the most connections of a worker that may have so many descriptors open: some are for its files and
    /// logs. More than 16,384 connections are of no use, because so many requests do not fit into a deadline.
    public static func connectionCountLimit(openDescriptors: UInt64) -> Int {
        Int(min(max(openDescriptors, 320) - 256, 16_384))
    }

    /// Returns the limit of one worker when each worker is to be replaced after about `requestCount` requests. The
    /// limit is up to a tenth higher, so that workers which started together do not leave together. Nil when
    /// `requestCount` is 0, for never.
    public static func requestCountLimit(
        around requestCount: UInt64, using generator: inout some RandomNumberGenerator
    ) -> UInt64? {
        guard requestCount > 0 else { return nil }
        let (sum, overflow) = requestCount.addingReportingOverflow(
            UInt64.random(in: 0...requestCount / 10, using: &generator)
        )
        return overflow ? requestCount : sum
    }
}

/// The reason why a worker's loop ended.
public enum WorkerOutcome: Sendable, Hashable {
    /// The worker was told to leave, and no connection was left open.
    case drained
    /// The worker was told to leave, and this many connections were still open when its time was over.
    case cutOff(connectionCount: Int)
    /// The wait for events failed.
    case failed(FastCGIError)
}
