/// How a host is asked and changed. Tests replace it.
public protocol HostAccess {
    /// Asks a host what it serves, with the bytes of the rules files or without.
    func served(_ host: PublishHost, withRules: Bool) throws(PublishError) -> ServedPool
    /// Copies a file to a path on a host. The file at that path is replaced as a whole or not at all.
    func copy(_ file: String, to path: String, on host: PublishHost) throws(PublishError)
    /// Has a host load its files, and waits for the end of that.
    func reload(_ host: PublishHost) -> ReloadAnswer
}

/// How the command ended that has a host load its files. It does not say what the host serves now; only the host does.
public enum ReloadAnswer: Sendable, Hashable {
    /// The command ended with 0.
    case done
    /// The command failed. The text says how.
    case failed(detail: String)
    /// The command took too long and was ended. The host may still load the files.
    case timedOut(seconds: Int64)
}
