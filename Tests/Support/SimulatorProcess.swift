internal import Cryptography
package import System

/// `appstore-simulator serve` in a process of its own, asked over FastCGI without a web server, or over plain HTTP.
package final class SimulatorProcess {
    package let folder: TemporaryDirectory
    package let processID: Int32
    private let output: String
    private var hasEnded = false

    /// Starts the simulator and waits until it serves: on a unix socket, or with HTTP at two ports from this one.
    package init(_ options: [String] = [], http port: UInt16? = nil, in folder: TemporaryDirectory) throws {
        self.folder = folder
        output = folder.path(of: "output")
        try Directory.removeFile(path: output)
        let file = try FileDescriptor.create(path: output, permissions: 0o600)
        let tool = try ProgramRun.product("appstore-simulator")
        var child = ChildProcess(
            executable: tool, arguments: [tool] + Self.arguments(folder, http: port) + options,
            environment: ["PATH=/usr/bin:/bin", "LANG=C"])
        child.descriptors = [(file.number, 1), (file.number, 2)]
        processID = try child.start()
        let path = output
        let deadline = Clock.monotonicNanoseconds() + 60_000_000_000
        while Clock.monotonicNanoseconds() < deadline, Processes.reap(processID) == nil {
            if (try? SourceFile.read(path))?.starts(with: Array("ready: ".utf8)) == true { return }
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
        }
        hasEnded = true
        throw SystemCallError(call: "appstore-simulator serve", .einval)
    }

    deinit {
        if !hasEnded {
            try? Processes.send(.kill, to: processID)
            _ = Processes.wait(for: processID)
        }
    }

    /// The command line with everything that `serve` needs.
    package static func arguments(_ folder: TemporaryDirectory, http port: UInt16? = nil) -> [String] {
        let place =
            port.map { ["--http", "127.0.0.1:\($0)"] } ?? ["--listen", "unix:\(folder.path(of: "socket"))"]
        return ["serve"] + place + [
            "--issuer-id", "issuer", "--key", "KEY=\(folder.path(of: "key.pem"))", "--app",
            "com.example.app=1",
        ]
    }

    /// A folder with a key.
    package static func makeFolder() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.write(try SigningKey.generate().pem(), to: "key.pem", permissions: 0o600)
        return folder
    }

    /// Ends the simulator with a signal and returns how it ended.
    package func end(_ signal: Signal = .terminate) throws -> ChildExit? {
        hasEnded = true
        try Processes.send(signal, to: processID)
        return Processes.wait(for: processID)
    }

    /// Returns how the simulator ended; nil while it runs.
    package func collect() -> ChildExit? {
        let exit = Processes.reap(processID)
        if exit != nil { hasEnded = true }
        return exit
    }

    package var log: String {
        ((try? folder.read("output")).map { String(decoding: $0, as: UTF8.self) }) ?? ""
    }

    /// A token that Apple's libraries would make.
    package func token(_ bundleId: String = "com.example.app") throws -> String {
        let pem = try folder.read("key.pem")
        let key = try SigningKey(p8: pem.span)
        let end = Clock.wallMilliseconds() / 1000 + 300
        let parts = [
            #"{"alg":"ES256","kid":"KEY","typ":"JWT"}"#,
            #"{"iss":"issuer","exp":\#(end),"aud":"appstoreconnect-v1","bid":"\#(bundleId)"}"#,
        ].map { String(decoding: Base64URL.encode(Array($0.utf8).span), as: UTF8.self) }
        let input = parts.joined(separator: ".")
        let signature = try key.sign(Array(input.utf8).span)
        return "Bearer \(input)." + String(decoding: Base64URL.encode(signature.span), as: UTF8.self)
    }

    /// Sends a request and returns the answer.
    package func send(
        _ method: String, _ target: String, _ body: String = "", environment: String? = "Sandbox"
    )
        throws -> FastCGIClient.Reply
    {
        try begin(method, target, body, environment: environment).readReply()
    }

    /// Sends a request and returns the connection on which the answer will come.
    package func begin(
        _ method: String, _ target: String, _ body: String = "", environment: String? = "Sandbox"
    )
        throws -> FastCGIClient
    {
        var parameters = [
            ("REQUEST_METHOD", method), ("REQUEST_URI", target), ("CONTENT_TYPE", "application/json"),
            ("CONTENT_LENGTH", String(body.utf8.count)), ("HTTP_AUTHORIZATION", try token()),
        ]
        if let environment { parameters.append(("APPSTORE_ENVIRONMENT", environment)) }
        let client = try FastCGIClient(unixPath: folder.path(of: "socket"))
        try client.send(FastCGIRecords.request(parameters, body: Array(body.utf8)))
        return client
    }
}
