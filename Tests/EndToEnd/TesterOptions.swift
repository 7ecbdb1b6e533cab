/// How a ``Tester`` differs from the shipped configuration.
struct TesterOptions: Sendable {
    enum Listen: Sendable {
        case unix
        case internet
    }

    enum Deadlines: Sendable {
        /// As shipped: nginx gives up after 650 ms, the pool after 600.
        case shipped
        /// Ten seconds in the pool and in nginx, so that a machine with other work does not change an answer, and a
        /// request that is forgotten still does.
        case patient
    }

    /// nginx's own workers.
    var nginxWorkers = 2
    /// The size of nginx's cache of connections to the pool; nil for a new connection a request.
    var keepalive: Int? = 64
    /// `ssl_protocols`.
    var tlsProtocols = "TLSv1.2 TLSv1.3"
    /// Where the pool listens.
    var listen = Listen.unix
    /// Workers of the pool.
    var workers = 2
    /// Further members of `retentiond.json`, or others in place of the tester's: name and JSON.
    var configuration: [(name: String, json: String)] = []
    /// Further changes of nginx's files; each old text must be there.
    var nginxChanges: [(file: String, old: String, new: String)] = []
    /// Whether the daemon is started; a test may do so itself.
    var startsDaemon = true
    /// Whether nginx is started.
    var startsNginx = true
    /// A long run has the machine for itself and holds the shipped deadlines; the gate looks at what is answered and
    /// counted, not at how soon.
    var deadlines = Programs.runsLong ? Deadlines.shipped : .patient

    /// The options with something changed.
    func with(_ change: (inout TesterOptions) -> Void) -> TesterOptions {
        var copy = self
        change(&copy)
        return copy
    }
}
