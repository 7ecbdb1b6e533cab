internal import CommandLineTool
internal import Configuration
internal import Foundation
internal import HTTPClient
internal import JSON
internal import System

/// Asks the endpoint as Apple would, through nginx.
struct DoctorWeb {
    private let findings: DoctorFindings
    private let configuration: Configuration
    private let url: String
    private let cacert: String?
    private let nginxLog = "/var/log/nginx/error.log"

    init(
        _ findings: DoctorFindings, _ configuration: Configuration, url: String, cacert: String?
    ) throws {
        (self.findings, self.configuration, self.url) = (findings, configuration, url)
        self.cacert = cacert
        guard URL(string: url)?.scheme == "https" else {
            throw ToolError(
                .usage, code: "http.bad-url", "Apple calls https alone: \(url)", hint: "--url https://…")
        }
    }

    /// Apple waits 700 ms.
    private static let slowMicroseconds: Int64 = 350_000

    func check() throws {
        guard try checkAnswer() else { return }
        try checkVersion()
        try checkStatus()
        checkLimit()
        checkRequest()
    }

    private func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        configuration.timeoutMilliseconds = 5000
        configuration.keepsConnections = false
        change(&configuration)
        return try HTTPClient(configuration: configuration)
    }

    /// Sends a body that nobody signed. The pool refuses it, and so shows that nginx reaches the pool.
    private func checkAnswer() throws -> Bool {
        let response: HTTPResponse
        do {
            response = try client { $0.readsCertificates = true }.perform(
                .postJSON(Array("{}".utf8), to: url))
        } catch let error as HTTPClientError {
            let hint: String =
                switch error {
                case .tls:
                    "nginx needs the whole chain in ssl_certificate; openssl s_client -connect HOST:443 -servername HOST"
                case .unresolved: "the name needs a DNS record"
                case .notConnected: "systemctl status nginx; is port 443 open?"
                default: "tail /var/log/nginx/error.log"
                }
            findings.fail("nginx", "\(error)", hint)
            return false
        }
        let code = LocalProgram.json(response.body)?.member("code")?.string
        switch (response.status, code) {
        case (400, .some): findings.ok("nginx", "reaches the pool")
        case (_, "pool-unavailable"):
            findings.fail(
                "nginx", "cannot reach the pool",
                "tail /var/log/nginx/error.log; systemctl status retentiond.socket")
        case (503, .some(let code)):
            findings.fail(
                "nginx", "the pool answers 503 \(code)",
                "retentionctl publish rules.json --host local --confirm")
        case (429, _): findings.warn("nginx", "the limit refuses this machine", "wait a few seconds")
        default:
            findings.fail(
                "nginx", "answers \(response.status), and not from the pool",
                "include snippets/retentiond.conf; in the server block of this name, then: nginx -t && systemctl reload nginx"
            )
        }
        checkTime(response)
        checkCertificate(response)
        return code != nil
    }

    private func checkTime(_ response: HTTPResponse) {
        let total = response.timings.totalMicroseconds
        let text = "\(total / 1000) ms with a new connection"
        if total > Self.slowMicroseconds {
            findings.warn(
                "latency", "\(text); Apple waits 700 ms",
                "the time goes to the network, TLS or nginx: see the log of nginx")
        } else {
            findings.ok("latency", text)
        }
        guard let date = response.date.flatMap(HTTPDate.milliseconds) else { return }
        let offset = abs(Clock.wallMilliseconds() - date) / 1000
        if offset > 5 {
            findings.warn(
                "clock", "the clocks of this machine and of nginx are \(offset) s apart",
                "timedatectl; systemctl restart systemd-timesyncd")
        } else {
            findings.ok("clock", "this machine and nginx agree")
        }
    }

    private func checkCertificate(_ response: HTTPResponse) {
        guard let end = response.certificateEnds.min() else { return }
        let days = (end - Clock.wallMilliseconds()) / 86_400_000
        if days < 14 {
            findings.warn(
                "certificate", "that of nginx ends in \(days) days",
                "systemctl status certbot.timer; certbot renew")
        } else {
            findings.ok("certificate", "that of nginx ends in \(days) days")
        }
    }

    /// Apple wants TLS 1.2 or later.
    private func checkVersion() throws {
        do {
            _ = try client { $0.usesTLS12 = true }.perform(.postJSON(Array("{}".utf8), to: url))
            findings.ok("TLS", "1.2 is there, and the certificate is trusted")
        } catch let error as HTTPClientError {
            findings.warn("TLS", "1.2 is not there: \(error)", "ssl_protocols TLSv1.2 TLSv1.3; in nginx")
        }
    }

    // MARK: - The status page

    /// Reads the status page, which nginx shows to this machine alone.
    private func checkStatus() throws {
        guard let parts = URLComponents(string: url), let host = parts.host else { return }
        var page = parts
        page.path = "/retention-status"
        page.query = "json"
        let request = HTTPRequest(method: "GET", url: page.string ?? url)
        let port = parts.port ?? 443
        guard
            let response = try? client({ $0.connectTo = "\(host):\(port):127.0.0.1:\(port)" }).perform(
                request),
            response.status == 200, let status = LocalProgram.json(response.body)
        else {
            findings.warn(
                "status", "the page is not there for this machine",
                "see location = /retention-status in snippets/retentiond.conf")
            return
        }
        checkWorkers(status)
        if let offset = status.member("signed date offset")?.int64 {
            if abs(offset) > 30_000 {
                findings.fail(
                    "clock", "\(abs(offset) / 1000) s from Apple's signedDate",
                    "timedatectl; systemctl restart systemd-timesyncd")
            } else {
                findings.ok("clock", "\(abs(offset)) ms from the signedDate of the last request")
            }
        }
        if let missing = status.member("missing keys")?.int64, missing > 0 {
            findings.fail(
                "key", "\(missing) signing keys are missing or others than were loaded",
                "systemctl reload retentiond")
        }
    }

    private func checkWorkers(_ status: JSONValue) {
        let count = status.member("total processes")?.int64 ?? 0
        let waiting = status.member("listen queue")?.int64 ?? 0
        if count == 0 {
            findings.fail("workers", "none runs", "journalctl -u retentiond -n 50")
        } else if waiting > 16 {
            findings.warn(
                "workers", "\(count) run, and \(waiting) requests wait",
                "more cores, or workers in retentiond.json")
        } else {
            findings.ok("workers", "\(count) run, and \(waiting) requests wait")
        }
    }

    /// Reads in the end of nginx's log what its limits refused in the last hour.
    private func checkLimit() {
        guard let log = FileHandle(forReadingAtPath: nginxLog), let end = try? log.seekToEnd() else { return }
        try? log.seek(toOffset: end > Self.logByteCount ? end - Self.logByteCount : 0)
        let text = String(decoding: (try? log.readToEnd()) ?? Data(), as: UTF8.self)
        let refused = text.split(separator: "\n").filter { line in
            // 2026/11/29 11:10:46 [error] 7#7: *1 limiting requests, excess: 100.9 by zone "retention_requests", client: …
            line.contains("zone \"retention_") && (Self.age(line).map { $0 < 3600 } ?? false)
        }
        guard let last = refused.last else {
            return findings.ok("limit", "nginx has refused nothing in the last hour")
        }
        let client = last.firstMatch(of: #/client: ([^,]+)/#).map { String($0.1) } ?? "unknown"
        findings.fail(
            "limit",
            "nginx has refused \(refused.count) requests in the last hour, the last one of \(client)",
            "whois \(client); if it is Apple's, add it to geo in /etc/nginx/conf.d/retentiond-upstream.conf")
    }

    private static let logByteCount: UInt64 = 1 << 20

    /// The seconds since a line of nginx's error log was written. nginx writes local time.
    private static func age(_ line: Substring) -> Double? {
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.dateFormat = "yyyy/MM/dd HH:mm:ss"
        return form.date(from: String(line.prefix(19))).map { -$0.timeIntervalSinceNow }
    }

    // MARK: - A signed request

    /// Sends a signed request, and the recorder a signed notification, for each app that trusts a test authority alone, whose
    /// keys lie beside the anchor.
    private func checkRequest() {
        for app in configuration.apps where app.environments == [.localTesting] {
            guard let anchor = app.anchors.first else { continue }
            let words = [
                "appstore-simulator", "request", "--authority", Directory.parent(of: anchor), "--app",
                "\(app.appAppleId)", "--product", "doctor",
            ]
            do {
                let authorities = cacert.map { ["--cacert", $0] } ?? []
                let run = try LocalProgram.run(
                    words + ["--json", "--url", url] + authorities, package: "appstore-simulator")
                report(run)
                if configuration.notifications != nil { try notify(app, words) }
            } catch { findings.fail("request", error) }
        }
    }

    private func report(_ run: Subprocess.Result) {
        let answer = LocalProgram.json(run.output)
        if run.exit?.isSuccess == true {
            let time = (answer?.member("microseconds")?.member("total")?.int64 ?? 0) / 1000
            findings.ok("request", "a signed request was answered with a message in \(time) ms")
            return
        }
        let code = answer?.member("body")?.member("code")?.string
        let status = answer?.member("status")?.int64.map { "it got \($0) \(code ?? "")" }
        findings.fail(
            "request", "a signed request: \(status ?? LocalProgram.failure(run).message)",
            code == "no-answer"
                ? "the rules serve nothing: retentionctl publish rules.test.json --host local --confirm"
                : status == nil
                    ? "retentionctl setup --test makes an authority" : "journalctl -u retentiond -n 50")
    }

    /// Sends what Apple sends at `retentionctl apple test-notification`, to the recorder behind the same nginx.
    private func notify(_ app: AppConfiguration, _ words: [String]) throws {
        let data = JSONNode.object([
            ("appAppleId", .integer(app.appAppleId)), ("bundleId", .string(app.bundleId)),
            ("environment", .string("LocalTesting")),
        ])
        let members: [(String, JSONNode)] = [
            ("notificationType", .string("TEST")), ("version", .string("2.0")),
            ("notificationUUID", .string(System.UUID.random().description)), ("data", data),
        ]
        let changes = members.flatMap { name, value in
            ["--set", "\(name)=\(String(decoding: value.serialized(), as: UTF8.self))"]
        }
        let run = try LocalProgram.run(words + ["--print"] + changes, package: "appstore-simulator")
        var place = URLComponents(string: url)
        place?.path = "/notifications"
        guard run.exit?.isSuccess == true, let target = place?.string else { return }
        let response = try client().perform(.postJSON(run.output, to: target))
        if response.status == 200 {
            findings.ok("notification", "a signed notification was stored")
        } else {
            let code = LocalProgram.json(response.body)?.member("code")?.string ?? ""
            findings.fail(
                "notification", "a signed notification got \(response.status) \(code)",
                response.status == 404
                    ? "include snippets/retentiond-notifications.conf; in the server block of nginx"
                    : "journalctl -u retentiond-recorder -n 50")
        }
    }
}
