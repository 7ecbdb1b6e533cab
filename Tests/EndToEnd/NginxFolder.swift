import CertificateAuthority
import Cryptography
import Support
import System

/// A folder for a real nginx: the repository's nginx files, with replacements for the lines that tests must change.
///
/// `write` throws when a shipped file does not have the text to replace. So a change of that text in a shipped file is
/// noticed.
enum NginxFolder {
    static let files = [
        "nginx.conf", "retentiond.conf", "retentiond-upstream.conf", "retentiond-pass.conf",
        "retentiond-fastcgi_params", "retentiond-notifications.conf",
        "retentiond-notifications-upstream.conf", "retentiond-notifications-pass.conf",
    ]

    /// The recorder's socket in the folder of a test.
    static let recorderSocket = "run/notifications.sock"

    /// Writes `nginx/` below `folder`, with a certificate for localhost.
    static func write(
        _ options: TesterOptions, in folder: TemporaryDirectory, pool: String, tlsPort: UInt16,
        plainPort: UInt16
    ) throws {
        let changes = changes(
            options, pool: pool, recorder: folder.path(of: recorderSocket), tlsPort: tlsPort,
            plainPort: plainPort)
        try write(files, changes, in: folder)
        try writeCertificate(in: folder)
    }

    /// Writes these of the shipped files with changes.
    static func write(
        _ files: [String], _ changes: [(file: String, old: String, new: String)],
        in folder: TemporaryDirectory
    ) throws {
        for name in ["nginx", "nginx/logs", "nginx/tmp"] { try folder.makeDirectory(name) }
        for name in files {
            var text = String(
                decoding: try SourceFile.read("\(SourceFile.root)/nginx/\(name)"), as: UTF8.self)
            for change in changes where change.file == name {
                guard text.contains(change.old) else { throw Complaint("\(name) has no \(change.old)") }
                text.replace(change.old, with: change.new)
            }
            try folder.write(text, to: "nginx/\(name)")
        }
    }

    private static func changes(
        _ options: TesterOptions, pool: String, recorder: String, tlsPort: UInt16, plainPort: UInt16
    ) -> [(file: String, old: String, new: String)] {
        var list = [
            ("nginx.conf", "worker_processes  2;", "worker_processes  \(options.nginxWorkers);"),
            // The load comes over plain HTTP, so that the client costs little. TLS stays configured as shipped.
            (
                "nginx.conf", "listen 127.0.0.1:8443 ssl;",
                "listen 127.0.0.1:\(tlsPort) ssl;\n        listen 127.0.0.1:\(plainPort);"
            ),
            ("nginx.conf", "include retentiond.conf;", "include retentiond.conf;\n" + strangeLocations),
            ("retentiond-upstream.conf", "unix:/run/retentiond/retentiond.sock", pool),
            (
                "retentiond-notifications-upstream.conf", "unix:/run/retentiond-recorder/notifications.sock",
                "unix:\(recorder)"
            ),
        ]
        if let size = options.keepalive {
            list.append(("retentiond-upstream.conf", "keepalive 512;", "keepalive \(size);"))
        } else {
            list += ["keepalive 512;", "keepalive_timeout 60s;", "keepalive_requests 100000;"].map {
                ("retentiond-upstream.conf", $0, "")
            }
            list.append(("retentiond.conf", "fastcgi_keep_conn on;", "fastcgi_keep_conn off;"))
        }
        if options.deadlines == .patient {
            list += ["100ms;", "650ms;"].map { ("retentiond-pass.conf", $0, "10s;") }
        }
        return list.map { (file: $0.0, old: $0.1, new: $0.2) } + options.nginxChanges
    }

    /// Wrong locations: the first names an endpoint that does not exist, the second names no endpoint, the third has a
    /// body limit above the daemon's own.
    static let strangeLocations = """
        location = /unknown {
            fastcgi_param RETENTION_ENDPOINT no-such-endpoint;
            include retentiond-fastcgi_params;
            include retentiond-pass.conf;
            fastcgi_pass retentiond;
        }
        location = /nothing {
            include retentiond-fastcgi_params;
            include retentiond-pass.conf;
            fastcgi_pass retentiond;
        }
        location = /large {
            include retentiond-fastcgi_params;
            fastcgi_param RETENTION_ENDPOINT retention-message;
            fastcgi_pass retentiond;
            fastcgi_keep_conn on;
            client_max_body_size 1m;
        }

        """

    private static func writeCertificate(in folder: TemporaryDirectory) throws {
        let now = Clock.wallMilliseconds()
        let recipe = TLSServerCertificate.recipe(
            notBeforeMilliseconds: now - ZooForge.day, notAfterMilliseconds: now + 30 * ZooForge.day)
        let certificate = try CertificateAuthority.issue(recipe)
        try folder.write(certificate.pem, to: "nginx/server.pem")
        try folder.write(certificate.key.pem(), to: "nginx/server.key", permissions: 0o600)
    }
}

/// The error of a test that cannot be set up.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
