internal import HTTPLoad
internal import System

/// An nginx with TLS on loopback, from the configuration of the repository.
struct Gateway {
    let port: Int
    private let program: Program
    private let trust: TLSTrust

    /// Starts nginx in the folder `name` and waits until it listens. `socket` is that of the pool, `recorder` that of the
    /// recorder, `core` the processor core of nginx.
    init(
        _ name: String, _ plan: Plan, socket: String = "/nowhere", recorder: String? = nil,
        keepsConnections: Bool = true, core: Int? = nil
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
            text = text.replacing("17.0.0.0/8 ", with: "127.17.0.0/16 ")
            if let recorder {
                text = text.replacing("/run/retentiond-recorder/notifications.sock", with: recorder)
                let include = "include retentiond-notifications"
                text = text.replacing("#" + include, with: include)
            }
            if !keepsConnections { text = Self.withoutKeepalive(text) }
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

    /// Returns the body of a page; nil when the status is not 200.
    func get(_ path: String) -> String? {
        let answer = PlainAnswer.exchange(RequestText.get(path), port: UInt16(port), tls: trust)
        return answer?.status == 200 ? answer?.body : nil
    }

    func stop() { program.stop() }

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
