public import Loader
public import System

/// A line of the supervisor's log. The texts are part of the contract: tests and alerts look for them.
public enum PoolNotice: Sendable, Hashable {
    /// The first load begins.
    case started
    /// Every worker of the first generation serves.
    case ready(GenerationID, source: LoadSource)
    /// Every worker of a new generation serves.
    case reloadAccepted(GenerationID, source: LoadSource)
    /// The old generation goes on.
    case reloadRefused(GenerationID, PoolRefusal)
    /// What was pushed cannot be loaded at the start; the last good generation is tried instead.
    case pushedRefused(PoolRefusal)
    /// The last good generation serves, because what was pushed is bad.
    case fallingBack(PoolRefusal)
    /// There is nothing to serve; the daemon gives up.
    case startRefused(PoolRefusal)
    /// No new requests from now on.
    case draining(Signal)
    /// A worker ended that was not asked to.
    case workerLost(ChildID, ChildExit)
    /// A worker could not be started.
    case workerNotStarted(ChildID, PoolRefusal)
    /// A worker did not say that it is ready in time.
    case workerNotReady(ChildID)
    /// A worker did not leave in time and was sent this signal.
    case workerForced(ChildID, Signal)
    /// Workers end as soon as they are started; one a second is tried.
    case crashLoop(deathCount: Int)
    /// The last good generation could not be stored.
    case notStored(GenerationID, PoolRefusal)
    /// A new binary takes over.
    case upgrading
    /// A new binary has taken over.
    case upgraded
    /// The new binary is not taken.
    case upgradeRefused(PoolRefusal)
    /// The log files are open anew.
    case logsReopened
    /// The last line.
    case stopped

    /// The fixed text.
    public var text: String {
        switch self {
        case .started: "started"
        case .ready: "ready"
        case .reloadAccepted: "reload accepted"
        case .reloadRefused: "reload refused"
        case .pushedRefused: "what was pushed is refused"
        case .fallingBack: "serving the last good generation"
        case .startRefused: "start refused"
        case .draining: "draining"
        case .workerLost: "worker lost"
        case .workerNotStarted: "worker not started"
        case .workerNotReady: "worker not ready"
        case .workerForced: "worker forced to leave"
        case .crashLoop: "workers keep failing"
        case .notStored: "last good generation not stored"
        case .upgrading: "upgrading"
        case .upgraded: "upgraded"
        case .upgradeRefused: "upgrade refused"
        case .logsReopened: "logs reopened"
        case .stopped: "stopped"
        }
    }
}
