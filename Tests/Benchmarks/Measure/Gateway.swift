internal import HTTPLoad
internal import System

/// An nginx with TLS on loopback, from the configuration of the repository.
struct Gateway {
    /// How nginx reaches the FastCGI program.
    enum Upstream {
        /// As in the shipped configuration.
        case shipped
        /// With a new connection for each request; the rest as in the shipped configuration.
        case newConnection
        /// As in the shipped configuration, and with a second location whose requests use new connections.
        case both
    }

    /// The URL of the location whose requests use new connections.
    static let newConnectionPath = "/retention-message-new"

    let port: Int
    private let program: Program
    private let trust: TLSTrust

    /// Starts nginx in the folder `name` and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: the name of the folder.
    ///   - plan: the paths of programs and folders.
    ///   - socket: the socket of the pool, or of the program in its place.
    ///   - recorder: the socket of the recorder; nil for an nginx without the location for notifications.
    ///   - upstream: how nginx reaches the pool.
    ///   - limit: the requests a second above which nginx refuses requests itself, by the limit of the shipped configuration; nil for
    ///     no limit.
    ///   - core: the processor core of nginx; nil for all.
    /// - Throws: the reason why nginx did not start.
    init(
        _ name: String, _ plan: Plan, socket: String, recorder: String? = nil, upstream: Upstream = .shipped,
        limit: Int? = nil, core: Int? = nil
    ) throws {
        let port = Int(try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 1).port)
        self.port = port
        let workspace = plan.workspace
        let configuration = plan.nginx
        try workspace.makeFolder(name)
        for folder in ["logs", "tmp"] { try workspace.makeFolder("\(name)/\(folder)") }
        for file in ["server.pem", "server.key"] {
            try workspace.write(
                try Workspace.read(workspace.path(of: file)), to: "\(name)/\(file)", permissions: 0o600)
        }
        let folder = try FileDescriptor.openDirectory(path: configuration)
        for file in try Directory.names(in: folder, limitCount: 100) {
            var text = try Workspace.text(of: "\(configuration)/\(file)")
            text = text.replacing("/run/retentiond/retentiond.sock", with: socket)
            text = text.replacing("127.0.0.1:8443", with: "127.0.0.1:\(port)")
            if let recorder {
                text = text.replacing("/run/retentiond-recorder/notifications.sock", with: recorder)
                let include = "include retentiond-notifications"
                text = text.replacing("#" + include, with: include)
            }
            if upstream == .newConnection { text = Self.withoutKeepalive(text) }
            if upstream == .both { text = Self.withNewConnections(text, socket: socket) }
            if let limit { text = Self.with(limit: limit, text) }
            try workspace.write(text, to: "\(name)/\(file)")
        }
        program = try Program(
            name, "/usr/sbin/nginx", ["-p", workspace.path(of: name), "-c", "nginx.conf"], in: workspace,
            core: core)
        trust = try TLSTrust(authoritiesFile: workspace.path(of: "server.pem"), serverName: "localhost")
        let pidFile = workspace.path(of: "\(name)/nginx.pid")
        let running = program
        try program.wait {
            (try? FileStatus(path: pidFile)) != nil
                && (try? ProcessTable.children(of: running.processID).count) ?? 0 > 0
        }
    }

    /// The worker processes of nginx.
    func workers() throws -> [Int32] { try ProcessTable.children(of: program.processID) }

    /// Returns the body of a page; nil when the status is not 200.
    func get(_ path: String) -> String? {
        let answer = PlainAnswer.exchange(RequestText.get(path), port: UInt16(port), tls: trust)
        return answer?.status == 200 ? answer?.body : nil
    }

    func stop() { program.stop() }

    /// Adds the second location to `nginx.conf`, with an upstream of its own.
    private static func withNewConnections(_ text: String, socket: String) -> String {
        let location = """
            include retentiond.conf;
            location = \(newConnectionPath) {
                fastcgi_param RETENTION_ENDPOINT retention-message;
                include       retentiond-fastcgi_params;
                include       retentiond-pass.conf;
                fastcgi_pass  retentiond_new;
            }
            """
        let include = " include retentiond-upstream.conf;"
        let upstream = "\n    upstream retentiond_new { server unix:\(socket) max_fails=0; }"
        return text.replacing(" include retentiond.conf;", with: " " + location)
            .replacing(include, with: include + upstream)
    }

    /// Switches the limit of the shipped files on, with as many requests at once as in a quarter of a second.
    private static func with(limit: Int, _ text: String) -> String {
        text.replacing("#limit_req", with: "limit_req").replacing("rate=500r/s", with: "rate=\(limit)r/s")
            .replacing("burst=1000", with: "burst=\(max(1, limit / 4))")
    }

    /// Removes the lines that keep connections to the FastCGI program open.
    private static func withoutKeepalive(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let words = line.split(separator: " ")
            guard let directive = words.first else { return true }
            // keepalive_requests and keepalive_timeout in the http block stay: they are about connections of clients.
            return directive != "keepalive" && directive != "fastcgi_keep_conn"
        }.joined(separator: "\n")
    }
}
