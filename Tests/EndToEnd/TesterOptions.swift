/// How a ``Tester`` differs from the shipped configuration.
struct TesterOptions: Sendable {
    enum Listen: Sendable {
        case unix
        case internet
        /// The test holds a unix socket, as systemd does, and every daemon inherits it.
        case systemd
    }

    enum Deadlines: Sendable {
        /// As shipped: nginx gives up after 650 ms, the pool after 600.
        case shipped
        /// Ten seconds in the pool and in nginx. Then a busy machine does not change an answer, but a request that the
        /// pool forgets still fails.
        case patient
    }

    /// The number of nginx's own workers.
    var nginxWorkers = 2
    /// The size of nginx's cache of connections to the pool. With nil, nginx opens a new connection for each request.
    var keepalive: Int? = 64
    /// `ssl_protocols`.
    var tlsProtocols = "TLSv1.2 TLSv1.3"
    /// Where the pool listens.
    var listen = Listen.unix
    /// The number of the pool's workers.
    var workers = 2
    /// Members (name and JSON) that are added to `retentiond.json` or replace the tester's own.
    var configuration: [(name: String, json: String)] = []
    /// Further changes of nginx's files; each old text must be there.
    var nginxChanges: [(file: String, old: String, new: String)] = []
    /// True when `Tester.run` starts the daemon. With false, a test can start it itself.
    var startsDaemon = true
    /// True when `Tester.run` starts nginx.
    var startsNginx = true
    /// A long run has the machine for itself and uses the shipped deadlines. The gate checks answers and counts, but
    /// not how soon the answers come.
    var deadlines = Programs.runsLong ? Deadlines.shipped : .patient

    /// Returns a copy of the options with a change.
    func with(_ change: (inout TesterOptions) -> Void) -> TesterOptions {
        var copy = self
        change(&copy)
        return copy
    }
}
