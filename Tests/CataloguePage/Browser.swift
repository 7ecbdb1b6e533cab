import Glibc
import JSON
import Support
import System
import Testing

/// A headless Chromium that a test controls through the DevTools protocol, over two pipes and without a port.
final class Browser {
    /// What the browser said without being asked, such as `Network.requestWillBeSent`.
    struct Event {
        let method: String
        let document: JSONDocument
        var parameters: JSONValue? { document.root.member("params") }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryDirectory
    private let process: Int32
    private let toBrowser: FileDescriptor
    private let fromBrowser: FileDescriptor
    private var received: [UInt8] = []
    private var number: Int64 = 0
    private var session: String?
    private(set) var events: [Event] = []

    /// No proxy, no name resolution, and none of the requests that the browser makes for its own purposes.
    private static let flags = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--no-first-run",
        "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
        "--disable-domain-reliability", "--no-pings", "--remote-debugging-pipe",
    ]

    /// Starts the browser with one empty page.
    init() throws {
        let places = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        guard let executable = places.first(where: { (try? FileStatus(path: $0)) != nil }) else {
            throw Failure(description: "no chromium: \"Tests/install test\" installs what the tests need")
        }
        // A browser that has ended must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        folder = try TemporaryDirectory()
        let commands = try FileDescriptor.pipe()
        let answers = try FileDescriptor.pipe()
        let log = try FileDescriptor.create(path: folder.path(of: "log"), permissions: 0o600)
        var child = ChildProcess(
            executable: executable,
            arguments: [executable] + Self.flags + [
                "--user-data-dir=\(folder.path(of: "profile"))", "about:blank",
            ],
            environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=\(folder.path)"]
        )
        child.descriptors = [
            (commands.reading.number, 3), (answers.writing.number, 4), (log.number, 1), (log.number, 2),
        ]
        process = try child.start()
        toBrowser = try commands.writing.duplicate()
        fromBrowser = try answers.reading.duplicate()
        let target = try call("Target.createTarget", [("url", .string("about:blank"))])
        let id = target.root.member("result")?.member("targetId")?.string ?? ""
        let attached = try call(
            "Target.attachToTarget", [("targetId", .string(id)), ("flatten", .boolean(true))])
        session = attached.root.member("result")?.member("sessionId")?.string
        for domain in ["Page", "Network", "Log", "Runtime"] { try call("\(domain).enable") }
    }

    deinit {
        session = nil
        _ = try? call("Browser.close")
        let end = Clock.monotonicNanoseconds() + 30_000_000_000
        while Processes.reap(process) == nil {
            guard Clock.monotonicNanoseconds() < end else {
                try? Processes.send(.kill, to: process)
                _ = Processes.wait(for: process)
                return
            }
            _ = try? Readiness.wait(for: [], timeoutMilliseconds: 20)
        }
    }

    /// Calls a method and returns the whole answer.
    @discardableResult
    func call(_ method: String, _ parameters: [(String, JSONNode)] = []) throws -> JSONDocument {
        number += 1
        var members: [(String, JSONNode)] = [
            ("id", .integer(number)), ("method", .string(method)), ("params", .object(parameters)),
        ]
        if let session { members.append(("sessionId", .string(session))) }
        let text = JSONNode.object(members).serialized() + [0]
        try toBrowser.write(text.span)
        while true {
            let document = try next()
            if document.root.member("id")?.int64 == number {
                guard let error = document.root.member("error") else { return document }
                throw Failure(description: "\(method): \(error.member("message")?.string ?? "")")
            }
            keep(document)
        }
    }

    /// Opens a file and waits until everything in it is loaded.
    func open(_ path: String, width: Int, isDark: Bool) throws {
        events = []
        try resize(width: width, isDark: isDark)
        try call("Page.navigate", [("url", .string("file://\(path)"))])
        while !events.contains(where: { $0.method == "Page.loadEventFired" }) { keep(try next()) }
    }

    /// Changes the width of the window and what the device prefers.
    func resize(width: Int, isDark: Bool) throws {
        let metrics: [(String, JSONNode)] = [
            ("width", .integer(Int64(width))), ("height", .integer(844)), ("deviceScaleFactor", .integer(1)),
            ("mobile", .boolean(width < 600)),
        ]
        try call("Emulation.setDeviceMetricsOverride", metrics)
        let scheme: [(String, JSONNode)] = [
            ("name", .string("prefers-color-scheme")), ("value", .string(isDark ? "dark" : "light")),
        ]
        try call("Emulation.setEmulatedMedia", [("features", .array([.object(scheme)]))])
    }

    /// Evaluates an expression of JavaScript, whose value may be a promise, and returns the value as JSON.
    func evaluate(_ expression: String) throws -> JSONDocument {
        let answer = try call(
            "Runtime.evaluate",
            [
                ("expression", .string("(async () => JSON.stringify(await (\(expression))))()")),
                ("returnByValue", .boolean(true)), ("awaitPromise", .boolean(true)),
            ]
        )
        let result = answer.root.member("result")
        guard result?.member("exceptionDetails") == nil,
            let text = result?.member("result")?.member("value")?.string
        else {
            let details = result?.member("exceptionDetails")?.member("exception")?.member("description")?
                .string
            throw Failure(description: details ?? "no value: \(expression)")
        }
        return try Self.document(Array(text.utf8))
    }

    private func keep(_ document: JSONDocument) {
        guard let method = document.root.member("method")?.string else { return }
        events.append(Event(method: method, document: document))
    }

    /// Reads the next message. Messages end with a byte of zero.
    private func next() throws -> JSONDocument {
        var searched = 0
        while true {
            if let end = received[searched...].firstIndex(of: 0) {
                let message = Array(received[..<end])
                received.removeFirst(end + 1)
                return try Self.document(message)
            }
            searched = received.count
            let ready = try Readiness.wait(for: [fromBrowser.number], timeoutMilliseconds: 120_000)
            var block = [UInt8](repeating: 0, count: 1 << 16)
            let count = ready.isEmpty ? 0 : try fromBrowser.read(into: &block)
            guard count > 0 else {
                let log = (try? folder.read("log")).map { String(decoding: $0.suffix(2000), as: UTF8.self) }
                throw Failure(description: "chromium gives no answer: \(log ?? "")")
            }
            received += block[..<count]
        }
    }

    private static func document(_ bytes: [UInt8]) throws -> JSONDocument {
        try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 64 << 20, depth: 64))
    }
}
