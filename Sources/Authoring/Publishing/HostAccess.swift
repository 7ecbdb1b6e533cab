/// How a host is asked and changed. Tests replace it.
public protocol HostAccess {
    /// Asks a host what it serves, with the bytes of the rules files or without.
    func served(_ host: PublishHost, withRules: Bool) throws(PublishError) -> ServedPool
    /// Copies a file to a path on a host. The file at that path is replaced as a whole or not at all.
    func copy(_ file: String, to path: String, on host: PublishHost) throws(PublishError)
    /// Keeps the files with these names in a directory of a host, puts them back as they were, or drops what was kept.
    func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost)
        throws(PublishError)
    /// Has a host load its files, and waits for the end of that.
    func reload(_ host: PublishHost) -> ReloadAnswer
}

/// What is done with the files that a publication replaces.
public enum FormerFiles: String, Sendable, Hashable {
    /// They are kept under hidden names, which the host ignores.
    case keep
    /// They are put back. A name that had no file has none again.
    case restore
    /// What was kept is removed.
    case drop
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
