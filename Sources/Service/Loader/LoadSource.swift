/// The place from which a loader takes the data files.
public enum LoadSource: String, Sendable, Hashable {
    /// `dataDirectory`, where files are pushed to.
    case pushed
    /// The last good generation in `stateDirectory`.
    case lastGood = "last-good"
}
