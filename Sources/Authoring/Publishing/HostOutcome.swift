internal import Vocabulary

/// How publishing ended on one host.
public enum HostOutcome: Sendable, Hashable {
    /// The host serves the new files.
    case published
    /// The host served the same rules and facts before, so nothing was done.
    case current
    /// The host has refused the files. What it served before still serves.
    case refused(ServedPool.Refusal)
    /// A file could not be copied, so nothing was loaded. What the host served before still serves.
    case notCopied(PublishError)
    /// The files are on the host, and the host has not loaded them.
    case notLoaded(ReloadAnswer)
    /// The host has loaded files since, and serves others than the new ones.
    case otherServed
    /// The host did not say what it serves before anything was done, so nothing was done.
    case notAsked(PublishError)
    /// It is not known what the host serves now.
    case unknown(PublishError)
    /// An earlier host failed, so nothing was done here.
    case notTried

    /// Judges a host by what it says that it serves. How the command ended that reloads only explains a failure.
    ///
    /// - Parameters:
    ///   - files: the files that were copied.
    ///   - before: what the host served before they were copied.
    ///   - after: what it says after the reload.
    ///   - reload: how the command ended that reloads.
    init(of files: [PublishedFile], before: ServedPool, after: ServedPool, reload: ReloadAnswer) {
        if files.allSatisfy({ $0.isServed(by: after) }) {
            self = .published
        } else if after.sequence == before.sequence {
            self = .notLoaded(reload)
        } else if let refusal = after.refusal {
            self = .refused(refusal)
        } else {
            self = .otherServed
        }
    }

    /// True when the host serves what it should.
    public var isSuccess: Bool { self == .published || self == .current }

    /// The word for scripts.
    public var word: String {
        switch self {
        case .published: "published"
        case .current: "current"
        case .refused: "refused"
        case .notCopied: "not-copied"
        case .notLoaded: "not-loaded"
        case .otherServed: "other-served"
        case .notAsked: "not-asked"
        case .unknown: "unknown"
        case .notTried: "not-tried"
        }
    }

    /// The stable code of a failure; empty for a success.
    public var code: String {
        switch self {
        case .published, .current: ""
        case .refused: "publish.refused"
        case .notCopied(let error), .notAsked(let error): error.code
        case .notLoaded: "publish.not-loaded"
        case .otherServed: "publish.other-served"
        case .unknown: "publish.outcome-unknown"
        case .notTried: "publish.not-tried"
        }
    }

    /// What happened, for people. It does not say what the host serves.
    var text: String {
        switch self {
        case .published: "loaded"
        case .current: "serves these rules already"
        case .refused(let refusal): "refused the file: \(refusal.code): \(refusal.message)"
        case .notCopied(let error), .notAsked(let error): "\(error)"
        case .notLoaded(.done): "the reload ended well, and the host has loaded nothing"
        case .notLoaded(.failed(let detail)): "the file is there and not loaded: \(detail)"
        case .notLoaded(.timedOut(let seconds)):
            "the file is there, and the host gave no verdict within \(seconds) s; it may still load the file"
        case .otherServed: "loaded another file than the one that was copied"
        case .unknown(let error): "the file is there, and the host \(error)"
        case .notTried: "not tried, because an earlier host failed"
        }
    }

    /// What to do about a failure; nil where the text says it.
    var advice: String? {
        switch self {
        case .refused: "the files that were there before are there again"
        case .notCopied(.copyFailed(let detail)) where detail.contains("unknown option"):
            "rsync on the host is too old as well: \(HostCommands.neededRsync)"
        case .notLoaded: "the next reload or restart of this host loads the file"
        case .otherServed: "somebody else has published at the same time"
        case .unknown: "run the command again"
        case .published, .current, .notCopied, .notAsked, .notTried: nil
        }
    }
}
