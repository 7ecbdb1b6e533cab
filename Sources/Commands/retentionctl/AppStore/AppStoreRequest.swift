internal import AppStoreTraffic
internal import ArgumentParser
internal import HTTPClient
internal import JSON

/// Signs one request, sends it and shows the answer.
struct AppStoreRequest: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Sends one signed request and prints the answer.",
        discussion: """
            Ends with 0 if Apple would accept the answer (status 200 and exactly one of the four members), with 1 for \
            any other answer, and with 69 if there is no answer.

            Example:
              retentionctl appstore request --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product --locale de-DE
            """
    )

    @OptionGroup var endpoint: EndpointOptions
    @OptionGroup var payload: PayloadOptions

    @Option(help: ArgumentHelp("How long to wait for the answer, in milliseconds.", valueName: "number"))
    var timeout = 5000

    @Flag(help: "Print the request's body first.")
    var printBody = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...600_000).contains(timeout) else { throw ValidationError("--timeout must be 1 to 600000.") }
    }

    func run() throws {
        let body = try payload.requestBuilder().body(payload.payload())
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = endpoint.cacert
        configuration.protocolVersion = endpoint.http
        configuration.timeoutMilliseconds = timeout
        let client = try HTTPClient(configuration: configuration)
        let response = try client.perform(.postJSON(body, to: endpoint.url))
        let outcome = SendAttemptResult(.success(response), thresholdMilliseconds: Int64(timeout))
        report(response, outcome, sent: body)
        if outcome != .success { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func report(_ response: HTTPResponse, _ outcome: SendAttemptResult, sent: [UInt8]) {
        let flaw = response.status == 200 ? RealtimeAnswer.flaw(in: response.body) : nil
        guard !output.json else {
            Console.print(document(response, outcome, flaw: flaw, sent: sent))
            return
        }
        if printBody { Console.print(String(decoding: sent, as: UTF8.self)) }
        let times = response.timings
        let connecting =
            times.tlsMicroseconds > 0 ? "TLS after \(Milliseconds.text(times.tlsMicroseconds)), " : ""
        Console.print("\(response.status) \(response.contentType ?? "without a type")")
        Console.print(String(decoding: response.body, as: UTF8.self))
        Console.print(
            "\(Milliseconds.text(times.totalMicroseconds)) (connected after \(Milliseconds.text(times.connectMicroseconds)), "
                + "\(connecting)first byte after \(Milliseconds.text(times.firstByteMicroseconds)))"
        )
        Console.print(flaw.map { "\(outcome.rawValue): \($0)" } ?? outcome.rawValue)
    }

    private func document(
        _ response: HTTPResponse, _ outcome: SendAttemptResult, flaw: String?, sent: [UInt8]
    ) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("status", .integer(Int64(response.status))),
            ("contentType", response.contentType.map { .string($0) } ?? .null),
            (
                "body",
                JSONNode(parsing: response.body) ?? .string(String(decoding: response.body, as: UTF8.self))
            ),
            ("result", .string(outcome.rawValue)),
            ("flaw", flaw.map { .string($0) } ?? .null),
            (
                "microseconds",
                .object([
                    ("connect", .integer(response.timings.connectMicroseconds)),
                    ("tls", .integer(response.timings.tlsMicroseconds)),
                    ("firstByte", .integer(response.timings.firstByteMicroseconds)),
                    ("total", .integer(response.timings.totalMicroseconds)),
                ])
            ),
        ]
        if printBody { members.append(("request", .string(String(decoding: sent, as: UTF8.self)))) }
        return .object(members)
    }
}
