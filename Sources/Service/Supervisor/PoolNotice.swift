public import Loader
public import System

/// A line of the supervisor's log. The texts are part of the interface: tests and alerts search for them.
public enum PoolNotice: Sendable, Hashable {
    /// The first load begins.
    case started
    /// Every worker of the first generation serves.
    case ready(GenerationID, source: LoadSource)
    /// Every worker of a new generation serves.
    case reloadAccepted(GenerationID, source: LoadSource)
    /// A reload was refused, and the old generation serves on.
    case reloadRefused(GenerationID, PoolRefusal)
    /// The pushed files cannot be loaded at the start. The supervisor tries the last good generation instead.
    case pushedRefused(PoolRefusal)
    /// The last good generation serves, because the pushed files were refused.
    case fallingBack(PoolRefusal)
    /// No generation can be loaded, and the daemon gives up.
    case startRefused(PoolRefusal)
    /// The pool takes no new requests from now on.
    case draining(Signal)
    /// A worker ended that was not told to, or failed while it was leaving.
    case workerLost(ChildID, ChildExit)
    /// A worker could not be started.
    case workerNotStarted(ChildID, PoolRefusal)
    /// A worker did not become ready in time.
    case workerNotReady(ChildID)
    /// The loop of a worker did not turn for `stuckMilliseconds`.
    case workerStuck(ChildID)
    /// A worker did not leave in time and was sent this signal.
    case workerForced(ChildID, Signal)
    /// A worker was killed or said that it ends, and is still there a second later, because a disk holds it. The supervisor goes on
    /// without it.
    case workerAbandoned(ChildID)
    /// Workers end as soon as they start. The supervisor starts one a second.
    case crashLoop(deathCount: Int)
    /// The log files were opened again.
    case logsReopened
    /// The pool has ended. This is the last line.
    case stopped

    /// The fixed text of the line.
    public var text: String {
        switch self {
        case .started: "started"
        case .ready: "ready"
        case .reloadAccepted: "reload accepted"
        case .reloadRefused: "reload refused"
        case .pushedRefused: "pushed files refused"
        case .fallingBack: "serving the last good generation"
        case .startRefused: "start refused"
        case .draining: "draining"
        case .workerLost: "worker lost"
        case .workerNotStarted: "worker not started"
        case .workerNotReady: "worker not ready"
        case .workerStuck: "worker stuck"
        case .workerForced: "worker forced to leave"
        case .workerAbandoned: "worker does not end"
        case .crashLoop: "workers keep failing"
        case .logsReopened: "logs reopened"
        case .stopped: "stopped"
        }
    }
}
