internal import ArgumentParser
internal import HTTPClient
internal import JSON
internal import NotificationStore
internal import System
internal import Vocabulary

/// Posts notifications again.
struct NotificationsReplay: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Posts notifications of files or of a store again.",
        discussion: """
            Takes request bodies from a file, from all files of a directory in the order of their names, or with --store \
            from a store, in the order of storing. A file has a request body on each line, a bare JWS, or the lines of \
            `store export`. Posts each to a URL, or to the unix socket of the recorder as nginx would, one after the \
            other. The recorder drops what it has already. Ends with 1 when an answer has another status than 2xx. \
            Redirects are not followed.

            Example:
              retentionctl notifications replay bodies.ndjson \\
                --url https://notifications.example.com/apple
              retentionctl notifications replay \\
                --store sqlite:/backup/notifications.db \\
                --socket /run/retentiond-recorder/notifications.sock
            """
    )

    @Argument(help: ArgumentHelp("The file or directory; - for standard input.", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("Post to this URL: https, or http on this machine.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("Post to this unix socket by FastCGI.", valueName: "path"),
        completion: .file()
    )
    var socket: String?

    @Option(help: ArgumentHelp("At most this many a second, 1 to 10000.", valueName: "number"))
    var rate = 10

    @Option(
        help: ArgumentHelp(
            "The authorities the server's certificate may come from, in PEM.",
            valueName: "file"
        ),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @OptionGroup var wanted: NotificationSelection
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (url == nil) != (socket == nil) else { throw ValidationError("Give --url or --socket.") }
        guard path == nil || selection.store == nil else {
            throw ValidationError("Give a path or --store.")
        }
        guard (1...10_000).contains(rate) else { throw ValidationError("--rate must be 1 to 10000.") }
    }

    func run() throws {
        var counts: [Int: Int] = [:]
        let post = try poster()
        let interval = 1_000_000_000 / UInt64(rate)
        var next = Clock.monotonicNanoseconds()
        let step = { (body: [UInt8], place: String) in
            let now = Clock.monotonicNanoseconds()
            if now < next { Clock.sleep(milliseconds: Int64((next - now + 999_999) / 1_000_000)) }
            next = max(next, now) + interval
            let status = try post(body)
            counts[status, default: 0] += 1
            if !(200...299).contains(status) { Console.note("\(place): status \(status)") }
        }
        if let path {
            try ReplaySource.forEach(in: path, step)
        } else {
            try ReplaySource.forEach(in: try selection.open(.read), wanted.filter, step)
        }
        try report(counts)
    }

    /// Returns the function that posts a body and returns the status of the answer.
    private func poster() throws -> ([UInt8]) throws -> Int {
        if let socket {
            let server = FastCGIPost(socketPath: socket)
            return { body in try server.status(posting: body) }
        }
        let receiver = try ForwardingError.mapped(
            to: { ToolFailure(.usage, code: $0.code, $0.description) },
            try ForwardReceiver(url: url ?? "")
        )
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        let client = try HTTPClient(configuration: configuration)
        return { body in try client.perform(.postJSON(body, to: receiver.url)).status }
    }

    private func report(_ counts: [Int: Int]) throws {
        let statuses = counts.keys.sorted()
        if output.json {
            let members = statuses.map { (String($0), JSONNode.integer(Int64(counts[$0] ?? 0))) }
            Console.print(.object([("statuses", .object(members))]))
        } else {
            Console.print(lines: statuses.map { "status \($0): \(counts[$0] ?? 0)" })
        }
        guard statuses.allSatisfy({ (200...299).contains($0) }) else {
            throw ExitCode(ExitStatus.no.rawValue)
        }
    }
}
