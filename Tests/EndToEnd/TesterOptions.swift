/// How a ``Tester`` differs from the shipped configuration.
struct TesterOptions: Sendable {
    enum Listen: Sendable {
        case unix
        case internet
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

    /// Deadlines of half a minute in the pool and in nginx: for tests of what is answered and counted, not of how soon.
    static let patient = TesterOptions().with {
        $0.configuration = [("deadlineMilliseconds", "30000")]
        $0.nginxChanges = ["100ms;", "650ms;"].map { ("retentiond-pass.conf", $0, "30s;") }
    }

    /// The options with something changed.
    func with(_ change: (inout TesterOptions) -> Void) -> TesterOptions {
        var copy = self
        change(&copy)
        return copy
    }
}
