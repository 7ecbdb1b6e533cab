public import Loader
public import System
public import Telemetry

/// Something the loop has to do. A start that fails is told by ``PoolEvent/Kind/notStarted(_:_:)``.
public enum PoolAction: Sendable, Hashable {
    /// Start a loader, which compares with the generation `current` when there is one.
    case startLoader(ChildID, sequence: GenerationID, source: LoadSource, current: GenerationID?)
    /// Start a worker and send it the hints.
    case startWorker(ChildID, generation: GenerationID, hints: [[UInt8]])
    /// Start the process that stores the generation as the last good one.
    case startKeeper(ChildID, generation: GenerationID)
    /// Run the new binary with `-t`.
    case startChecker(ChildID)
    /// Tell a worker to finish and exit within this time; said again when there is less time.
    case drain(ChildID, milliseconds: Int64)
    /// Send a child a signal.
    case signal(ChildID, Signal)
    /// No process uses the generation any more: close its descriptors.
    case release(GenerationID)
    /// Write the verdict of a load where `--reload` waits for it.
    case publish(PoolVerdict)
    /// Hand this hint to a worker that serves.
    case tell(ChildID, hint: [UInt8])
    /// Keep these hints in `stateDirectory`.
    case saveHints([[UInt8]])
    /// Stop listening and remove the socket's name.
    case closeListener
    /// Open the log files anew; one that cannot be opened is written on under its old name.
    case reopenLogs
    /// Write a mark into a decision log.
    case mark(DecisionMark.Kind, DecisionLogIdentity)
    /// Write a mark of the counters that the binary before had.
    case markFormer(DecisionMark.Kind, DecisionLogIdentity)
    /// Write which experiments the rules of a generation have into a decision log.
    case markRules(GenerationID, DecisionLogIdentity)
    /// Tell the service manager.
    case notify(PoolNotification)
    /// Write a line.
    case log(PoolNotice)
    /// Become the new binary.
    case upgrade
    /// Exit with this status; the last action.
    case finish(status: Int32)
}

/// What the service manager is told (sd_notify(3)).
public enum PoolNotification: Sendable, Hashable {
    /// Serving, `READY=1`, with a line for `systemctl status`.
    case ready(String)
    /// Loading, `RELOADING=1`.
    case reloading
    /// Leaving, `STOPPING=1`.
    case stopping
    /// Only the line.
    case status(String)
}

/// How a load ended.
public struct PoolVerdict: Sendable, Hashable {
    /// Counts loads; never goes back while `stateDirectory` is kept.
    public var sequence: GenerationID
    /// The monotonic clock when this load began: it has seen every file pushed before.
    public var startedMilliseconds: Int64
    /// Where the files came from.
    public var source: LoadSource
    /// Why it was refused; nil when it was loaded.
    public var refusal: PoolRefusal?
    /// The generation that serves after this, nil when none does.
    public var serving: GenerationID?

    /// All of it.
    public init(
        sequence: GenerationID,
        startedMilliseconds: Int64,
        source: LoadSource,
        refusal: PoolRefusal?,
        serving: GenerationID?
    ) {
        self.sequence = sequence
        self.startedMilliseconds = startedMilliseconds
        self.source = source
        self.refusal = refusal
        self.serving = serving
    }
}
