/// Every time and count of the supervisor, in milliseconds where nothing else is said.
public enum PoolLimits {
    /// A loader that has not answered by then is killed: a hostile file must not hold a reload for ever.
    public static let loaderMilliseconds: Int64 = 60_000
    /// Storing the last good generation copies as much as a load does, to a disk.
    public static let keeperMilliseconds: Int64 = 300_000
    /// A new binary says within this time whether it can run this configuration; it only reads and checks.
    public static let checkerMilliseconds: Int64 = 60_000
    /// A worker maps its files and verifies a few hints before it is ready: milliseconds, seconds on a bad day.
    public static let readyMilliseconds: Int64 = 20_000
    /// QUIT waits this long for requests in flight; every one of them has a deadline far below it.
    public static let quitMilliseconds: Int64 = 60_000
    /// A reload and a recycled worker wait at least this long for requests in flight, whatever `drainMilliseconds` says:
    /// that is the patience of TERM, and a reload drops nothing. More than a request's own deadline and more than a
    /// connection stays fresh.
    public static let reloadDrainMilliseconds: Int64 = 1_000
    /// A worker leaves by itself when its time is over; one that is still there so much later is sent TERM.
    public static let drainMarginMilliseconds: Int64 = 250
    /// A child that began in the background comes forward after this long: on a machine without any rest it would
    /// otherwise never be done.
    public static let backgroundMilliseconds: Int64 = 250
    /// From TERM to KILL of a worker that does not leave.
    public static let killMilliseconds: Int64 = 1_000
    /// A worker that ended sooner than this after its start is part of a crash loop.
    public static let earlyDeathMilliseconds: Int64 = 500
    /// In a crash loop workers are started this far apart.
    public static let crashLoopMilliseconds: Int64 = 1_000
    /// After this long without an early death a crash loop is over.
    public static let crashLoopMemoryMilliseconds: Int64 = 10_000
    /// New workers that end before they are ready are started again this often before the reload is refused.
    public static let reloadDeathCount = 3
    /// Marks in a decision log come this far apart: a gap in the log is known to the minute.
    public static let markMilliseconds: Int64 = 60_000
    /// Chains kept as hints: more than the leaf certificates Apple uses at a time.
    public static let hintCount = 8
    /// Hints are written at most this often: each writing waits for the disk, and signals wait for it.
    public static let hintMilliseconds: Int64 = 1_000
    /// A hint is three certificates; real ones are about 2.5 KB.
    public static let hintByteCount = 16 << 10
    /// Loads are counted up to here and from 1 again: what JSON readers with floating-point numbers still tell apart.
    /// A number beyond it in `reload.json` was not written by a supervisor.
    public static let sequenceLimit = 1 << 53
    /// A binary that hands over more workers than this, or more patience, has not written what is read.
    static let workerCountLimit = 4096
    static let drainMillisecondsLimit: Int64 = 3_600_000
    /// The socket and the pid file are looked for this often: often enough for who watches the log, and nearly free.
    static let placesMilliseconds: Int64 = 2_000
}
