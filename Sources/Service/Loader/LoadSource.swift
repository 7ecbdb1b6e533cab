/// Where a loader takes files from.
public enum LoadSource: String, Sendable, Hashable {
    /// `dataDirectory`, where files are pushed to.
    case pushed
    /// The last good generation in `stateDirectory`.
    case lastGood = "last-good"
}
