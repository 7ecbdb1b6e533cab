/// The times and counts of the supervisor. Times are in milliseconds.
public enum PoolLimits {
    /// The supervisor kills a loader that has not answered by then: a hostile file must not block reloads for ever.
    public static let loaderMilliseconds: Int64 = 60_000
    /// The time for a worker to become ready. It maps its files and verifies a few hints: normally milliseconds, at
    /// worst seconds.
    public static let readyMilliseconds: Int64 = 20_000
    /// QUIT waits this long for requests in progress. The deadline of every request is far below it.
    public static let quitMilliseconds: Int64 = 60_000
    /// A reload or the replacement of a recycled worker waits at least this long for requests in progress, even when
    /// `drainMilliseconds` is smaller: that setting is for TERM, and a reload must not drop a request. The time is
    /// longer than a request's own deadline, and longer than a connection counts as fresh.
    public static let reloadDrainMilliseconds: Int64 = 1_000
    /// A worker leaves by itself when its time is over. The supervisor sends TERM to a worker that is still there this
    /// much later.
    public static let drainMarginMilliseconds: Int64 = 250
    /// The time from TERM to KILL for a worker that does not leave.
    public static let killMilliseconds: Int64 = 1_000
    /// How long the supervisor waits for a worker that was killed or has closed its control socket. One that a disk holds ends
    /// only when the disk answers.
    public static let abandonMilliseconds: Int64 = 1_000
    /// A worker that ends sooner than this after its start counts for the crash loop.
    public static let earlyDeathMilliseconds: Int64 = 500
    /// The time between two starts of workers during a crash loop.
    public static let crashLoopMilliseconds: Int64 = 1_000
    /// A crash loop is over after this time without an early death.
    public static let crashLoopMemoryMilliseconds: Int64 = 10_000
    /// When new workers end before they are ready, the supervisor starts others this many times, then refuses the
    /// reload.
    public static let reloadDeathCount = 3
    /// The exit status of a worker that cannot open its generation: somebody removed or damaged the directory.
    public static let generationGoneStatus: Int32 = 66
    /// The highest sequence number of a load; the next load is 1 again. JSON readers with floating-point numbers
    /// represent integers exactly up to this one. No supervisor writes a higher number into `reload.json`.
    public static let sequenceLimit = 1 << 53
    /// The time between two checks of the socket's file name and the pid file: short enough for a person who watches
    /// the log, and it costs almost nothing.
    static let placesMilliseconds: Int64 = 2_000
}
