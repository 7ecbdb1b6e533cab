/// Where the states of a page come from.
public enum StateSource: Sendable, Hashable {
    /// From Apple's lists, asked at a time, milliseconds since 1970. The string is the address of a server other than Apple's.
    case lists(at: Int64, server: String?)
    /// From a file with Apple's lists, as `catalogue pull` writes it.
    case inventory(file: String)
    /// From the journal: what this machine saw last.
    case journal
}

/// What is known of the URL that Apple asks.
public enum KnownURL: Sendable, Hashable {
    /// Nobody asked Apple.
    case unknown
    /// No URL is set at Apple.
    case unset
    /// This URL is set at Apple.
    case set(String)
}
