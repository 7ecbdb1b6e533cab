import System

package final class TLSServerProcess {
    package let port: UInt16
    private let process: Int32

    package struct Failure: Error {}

    /// Starts nginx with these locations.
    ///
    /// - Parameters:
    ///   - locations: blocks of nginx's configuration.
    ///   - certificate: the path of the certificate.
    ///   - key: the path of its key.
    ///   - folder: where the server keeps its files.
    /// - Throws: ``Failure``, and the errors of the system.
    package convenience init(
        nginx locations: String, certificate: String, key: String, in folder: TemporaryDirectory
    ) throws {
        let (port, path) = (try LoopbackPort.free(1)[0], folder.path)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(path)/\($0);"
        }
        try folder.write(
            """
            daemon off; worker_processes 1; pid \(path)/nginx.pid; error_log \(path)/nginx.log;
            events {}
            http {
                access_log off; \(temporary.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(certificate);
                    ssl_certificate_key \(key);
                    \(locations)
                }
            }
            """,
            to: "nginx.conf"
        )
        let arguments = ["-p", path, "-e", "\(path)/nginx.log", "-c", "\(path)/nginx.conf"]
        try self.init("/usr/sbin/nginx", arguments, port, in: folder)
    }

    /// Starts `openssl s_server`, which answers each request with a page about the connection.
    ///
    /// - Parameters:
    ///   - certificate: the path of the certificate.
    ///   - key: the path of its key.
    ///   - folder: where the server keeps its log.
    /// - Throws: ``Failure``, and the errors of the system.
    package convenience init(openSSLWith certificate: String, key: String, in folder: TemporaryDirectory)
        throws
    {
        let port = try LoopbackPort.free(1)[0]
        let arguments = ["s_server", "-accept", "127.0.0.1:\(port)", "-www", "-quiet", "-cert", certificate]
        try self.init("/usr/bin/openssl", arguments + ["-key", key], port, in: folder)
    }

    private init(_ executable: String, _ arguments: [String], _ port: UInt16, in folder: TemporaryDirectory)
        throws
    {
        var child = ChildProcess(
            executable: executable, arguments: [executable] + arguments, environment: ["PATH=/usr/bin:/bin"])
        let log = try FileDescriptor.create(path: folder.path(of: "server.log"), permissions: 0o600)
        child.descriptors = [(log.number, 1), (log.number, 2)]
        self.port = port
        process = try child.start()
        while (try? StreamSocket.connect(host: "127.0.0.1", port: port)) == nil {
            guard Processes.exists(process) else { throw Failure() }
            Clock.sleep(milliseconds: 10)
        }
    }

    deinit {
        try? Processes.send(.terminate, to: process)
        _ = Processes.wait(for: process)
    }
}
