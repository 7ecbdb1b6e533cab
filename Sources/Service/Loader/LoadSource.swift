/// The place from which a loader takes the data files.
public enum LoadSource: String, Sendable, Hashable {
    /// The generation `current` in `stateDirectory`, when configuration, anchors and public keys are those it was made with.
    /// A start serves it at once, and then loads what is pushed.
    case unchanged
    /// `dataDirectory`, where files are pushed to.
    case pushed
    /// The generation `current` under the present configuration, because the pushed files were refused at the start.
    case lastGood = "last-good"
}
