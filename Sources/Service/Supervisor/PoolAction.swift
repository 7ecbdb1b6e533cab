public import Loader
public import System

/// Something that the supervisor has to do. When a start fails, the supervisor reports it with
/// ``PoolEvent/Kind/notStarted(_:_:)``.
public enum PoolAction: Sendable, Hashable {
    /// Start a loader. `serving` is the generation that serves; nil at the start.
    case startLoader(ChildID, sequence: GenerationID, source: LoadSource, serving: GenerationID?)
    case startWorker(ChildID, generation: GenerationID)
    /// Let the next start serve this generation: all its workers are ready.
    case makeCurrent(GenerationID)
    /// Tell a worker to finish its requests and exit within this time. Sent again when the time becomes shorter.
    case drain(ChildID, milliseconds: Int64)
    /// Send a child a signal.
    case signal(ChildID, Signal)
    /// Write the verdict of a load to the file that `--reload` reads.
    case publish(PoolVerdict)
    /// Send this chain hint to a worker.
    case sendHint(ChildID, hint: [UInt8])
    /// Close the listening socket and remove its file name.
    case closeListener
    /// Open the error log again by name.
    case reopenLogs
    /// Forget a child that does not end.
    case abandon(ChildID)
    /// Send this notification to the service manager.
    case notify(PoolNotification)
    /// Write this notice to the log.
    case log(PoolNotice)
    /// Exit with this status. This is the last action.
    case finish(status: Int32)
}

/// A notification to the service manager (sd_notify(3)).
public enum PoolNotification: Sendable, Hashable {
    /// The pool serves: `READY=1`, with a line for `systemctl status`.
    case ready(String)
    /// The pool reloads: `RELOADING=1`.
    case reloading
    /// The pool ends: `STOPPING=1`.
    case stopping
    /// Only a new line for `systemctl status`.
    case status(String)
}

/// The verdict of a load: loaded or refused.
public struct PoolVerdict: Sendable, Hashable {
    /// The sequence number of the load. It never goes back while `stateDirectory` is kept.
    public var sequence: GenerationID
    /// The time at which the load began, in milliseconds of the monotonic clock. The load has seen every file pushed
    /// before that time.
    public var startedMilliseconds: Int64
    public var source: LoadSource
    /// Why the load was refused; nil when the generation was loaded.
    public var refusal: PoolRefusal?
    /// The generation that serves after the load; nil when none serves.
    public var serving: GenerationID?

    /// Makes a verdict. The parameters are the values of the properties with the same names.
    public init(
        sequence: GenerationID, startedMilliseconds: Int64, source: LoadSource, refusal: PoolRefusal?,
        serving: GenerationID?
    ) {
        self.sequence = sequence
        self.startedMilliseconds = startedMilliseconds
        self.source = source
        self.refusal = refusal
        self.serving = serving
    }
}
