internal import CommandLineTool
internal import Foundation
internal import JSON
internal import System

struct SetupApp {
    let appAppleId: Int64
    let bundleId: String
}

struct SetupKey {
    let file: String
    let keyId: String
    let issuerId: String
}

/// The files that `setup` writes.
struct SetupFiles {
    private let app: SetupApp
    private let config: String
    private let isTest: Bool
    private var files: [(path: String, content: JSONNode)] = []

    /// A pool for Apple's requests.
    init(
        _ app: SetupApp, _ environments: [Environment], key: SetupKey?, config: String, directory: String
    ) {
        (self.app, self.config, isTest) = (app, config, false)
        let keys = key.map { key -> [(String, JSONNode)] in
            let members: [(String, JSONNode)] = [
                ("keyId", .string(key.keyId)), ("issuerId", .string(key.issuerId)),
                ("file", .string(Self.absolute(key.file))),
            ]
            return [("signingKeys", .array([.object(members)]))]
        }
        add(config, configuration(environments, keys ?? []))
        for (number, environment) in environments.enumerated() {
            let name = number == 0 ? "rules.json" : "rules.\(environment.rawValue.lowercased()).json"
            add(
                "\(directory)/\(name)",
                rules(environment, [("default", .object([("serve", .string("none"))]))]))
        }
    }

    /// A pool that trusts a test authority alone.
    init(testing app: SetupApp, config: String, directory: String) {
        (self.app, self.config, isTest) = (app, config, true)
        let anchor = JSONNode.string(Self.absolute("\(authority)/\(Self.anchor)"))
        add(testConfig, configuration([.localTesting], [("anchors", .array([anchor]))]))
        let message = JSONNode.object([
            ("kind", .string("text")), ("ids", .object([("en-US", .string(UUID.random().description))])),
        ])
        add(
            "\(directory)/rules.test.json",
            rules(
                .localTesting,
                [
                    ("locales", .object([("last", .string("en-US"))])),
                    ("messages", .object([("hello", message)])),
                    ("default", .object([("serve", .object([("message", .string("hello"))]))])),
                ]))
    }

    var paths: [String] { files.map(\.path) }

    private mutating func add(_ path: String, _ content: JSONNode) {
        files.append((path.hasPrefix("./") ? String(path.dropFirst(2)) : path, content))
    }

    // MARK: - Contents

    private func configuration(_ environments: [Environment], _ members: [(String, JSONNode)]) -> JSONNode {
        let app: [(String, JSONNode)] = [
            ("appAppleId", .integer(app.appAppleId)), ("bundleId", .string(app.bundleId)),
            ("environments", .array(environments.map { .string($0.rawValue) })),
        ]
        let systemd: [(String, JSONNode)] = [("listen", .string("systemd"))]
        var settings = Self.hasUnit("retentiond.socket") ? systemd : []
        settings.append(("apps", .array([.object(app + members)])))
        if Self.hasUnit("retentiond-recorder.socket") {
            settings.append(("notifications", .object(systemd)))
        }
        settings.append(
            ("log", .object([("decisions", .string("/var/log/retentiond/decisions.ndjson"))])))
        return .object(settings)
    }

    private func rules(_ environment: Environment, _ members: [(String, JSONNode)]) -> JSONNode {
        let owner: [(String, JSONNode)] = [
            ("appAppleId", .integer(app.appAppleId)), ("bundleId", .string(app.bundleId)),
        ]
        return .object(
            [
                ("format", .integer(1)), ("app", .object(owner)),
                ("environment", .string(environment.rawValue)),
            ] + members)
    }

    private static func absolute(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }

    private static func hasUnit(_ name: String) -> Bool {
        ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
            .contains { (try? FileStatus(path: "\($0)/\(name)")) != nil }
    }

    // MARK: - Writing

    private static let anchor = "root.pem"
    private var folder: String { Directory.parent(of: config) }
    private var authority: String { "\(folder)/test" }
    private var testConfig: String { "\(folder)/retentiond-test.json" }

    /// Writes all files or none.
    ///
    /// - Throws: `file.exists`, `setup.program-missing`, and the errors of files.
    func write() throws {
        // The link that `setup --test` makes is no configuration of its own.
        let isLink =
            !isTest
            && (try? FileManager.default.destinationOfSymbolicLink(atPath: config)) == "retentiond-test.json"
        for (path, _) in files where !(isLink && path == config) {
            guard (try? FileManager.default.attributesOfItem(atPath: path)) == nil else {
                throw ToolError(
                    code: "file.exists", "the file is there already, and is not overwritten", file: path)
            }
        }
        if isTest, (try? FileStatus(path: "\(authority)/\(Self.anchor)")) == nil { try makeAuthority() }
        if isLink { try ToolError.about(config) { try Directory.removeFile(path: config) } }
        for (path, content) in files {
            let text = content.serialized(pretty: true) + [UInt8(ascii: "\n")]
            // The pool runs as another user. The directory decides who may read the configuration.
            try ToolError.about(path) { try AtomicFile.write(text.span, to: path, permissions: 0o644) }
        }
        if isTest, (try? FileStatus(path: config)) == nil {
            try ToolError.about(config) {
                try FileManager.default.createSymbolicLink(
                    atPath: config, withDestinationPath: "retentiond-test.json")
            }
        }
    }

    private func makeAuthority() throws {
        let run = try LocalProgram.run(
            ["appstore-simulator", "init", authority], package: "appstore-simulator")
        guard run.exit?.isSuccess == true else {
            throw ToolError(
                .ours, code: "setup.program-failed",
                "appstore-simulator init: \(String(decoding: run.errors, as: UTF8.self))")
        }
    }

    // MARK: - What comes next

    /// What to type next, one step a line.
    var next: [String] {
        let rules = paths.dropFirst().map { "retentionctl publish \($0) --host local --confirm" }
        let recorder = Self.hasUnit("retentiond-recorder.socket")
        let units =
            "retentiond.socket retentiond.service"
            + (recorder ? " retentiond-recorder.socket retentiond-recorder.service" : "")
        let notifications = recorder ? " include snippets/retentiond-notifications.conf;" : ""
        var lines = [
            "in the TLS server block of nginx: include snippets/retentiond.conf;\(notifications)",
            "systemctl enable --now \(units) && systemctl reload nginx",
        ]
        if isTest, (try? FileManager.default.destinationOfSymbolicLink(atPath: config)) == nil {
            lines.insert("ln -sf retentiond-test.json \(config), to serve it; \(config) serves now", at: 0)
        }
        // A pool refuses rules for an environment that it does not serve.
        let testRules = "/var/lib/retentiond/data/\(app.bundleId).LocalTesting.rules.json"
        if !isTest, (try? FileStatus(path: testRules)) != nil {
            lines.insert("rm \(testRules), which the test pool served", at: 0)
        }
        return lines + rules + ["retentionctl doctor --url https://HOST/retention-message"]
    }
}

/// Runs programs of this machine that other packages bring.
enum LocalProgram {
    /// - Throws: `setup.program-missing`, which names the package.
    static func path(of program: String, package: String) throws -> String {
        let search = (ProcessEnvironment.value(of: "PATH") ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        guard let path = Subprocess.path(of: program, searchPath: search) else {
            throw ToolError(
                .ours, code: "setup.program-missing", "this machine has no program \(program)",
                hint: "apt-get install \(package)")
        }
        return path
    }

    /// - Throws: `setup.program-missing`.
    static func run(_ words: [String], package: String, milliseconds: Int64 = 20_000) throws
        -> Subprocess.Result
    {
        var process = Subprocess(
            executable: try path(of: words[0], package: package), arguments: words,
            environment: ProcessEnvironment.all(excludingPrefixes: ["RETENTIONCTL_"]))
        process.timeoutMilliseconds = milliseconds
        return try ToolError.about(words[0]) { try process.run() }
    }

    /// What a program printed or a server answered; nil when it is not JSON.
    static func json(_ text: [UInt8]) -> JSONValue? {
        try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: text.count, depth: 16)).root
    }

    /// Why a tool with `--json` failed: the first of its diagnostics, or what it wrote to standard error.
    static func failure(_ run: Subprocess.Result) -> (code: String, message: String) {
        if let first = json(run.output)?.member("diagnostics")?.elements.first {
            return (first.member("code")?.string ?? "", first.member("message")?.string ?? "")
        }
        return (
            "", String(decoding: run.errors, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
        )
    }
}
