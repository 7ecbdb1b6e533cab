internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import HTTPClient
internal import JSON
internal import System

struct Request: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends one signed request and prints the answer.",
        discussion: """
            Ends with 0 if Apple would accept the answer (status 200 and exactly one of the four members), with 1 for \
            any other answer, and with 69 if there is no answer.

            With --count several customers ask, one after the other, their identifiers counted up in steps of 10,000. Each is a line: \
            identifier, signedDate, status. --until spreads them evenly over the time from --signed-date on.

            With --print it sends nothing, and prints bodies for curl and load generators.

            Examples:
              appstore-simulator request --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product --locale de-DE
              appstore-simulator request --print --authority ./authority \\
                --app 531412 --product com.example.product \\
                | curl --cacert ./authority/tls-authority.pem \\
                  -H 'Content-Type: application/json' --data-binary @- \\
                  https://localhost:8443/retention-message
            """
    )

    @Option(help: "The URL of the endpoint.")
    var url: String?

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var payload: PayloadOptions

    @Option(help: "How long to wait for the answer, in milliseconds.")
    var timeout = 5000

    @Option(help: "The number of customers.")
    var count = 1

    @Option(help: "With --count: the signedDate of the last customer.")
    var until: TimeArgument?

    @Flag(help: "Print the signed body and send nothing.")
    var print = false

    @Flag(help: "With --print: the JWS alone, without {\"signedPayload\":…} around it.")
    var jws = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard print == (url == nil) else { throw ValidationError("Give either --url or --print.") }
        guard print || !jws else { throw ValidationError("--jws needs --print.") }
        guard (1...20_000).contains(count), count == 1 || !print else {
            throw ValidationError("--count must be 1 to 20000, and does not go with --print.")
        }
        guard (1...600_000).contains(timeout) else { throw ValidationError("--timeout must be 1 to 600000.") }
    }

    func run() throws {
        let builder = try payload.requestBuilder()
        guard let url else {
            let text = try builder.compact(payload.payload().json)
            return Console.print(
                bytes: (jws ? text : SignedRequestBuilder.wrap(text)) + [UInt8(ascii: "\n")])
        }
        var configuration = connection.configuration
        configuration.timeoutMilliseconds = timeout
        let client = try HTTPClient(configuration: configuration)
        guard count == 1 else { return try sendAll(url, client, builder) }
        let response = try client.perform(.postJSON(builder.body(payload.payload()), to: url))
        let outcome = SendAttemptResult(.success(response), thresholdMilliseconds: Int64(timeout))
        report(response, outcome)
        if outcome != .success { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Any answer will do: what it was is in the lines.
    private func sendAll(_ url: String, _ client: HTTPClient, _ builder: SignedRequestBuilder) throws {
        guard let first = Int64(payload.originalTransactionId) else {
            throw ValidationError("--count counts up from a number.")
        }
        var lines: [String] = []
        for number in 0..<Int64(count) {
            var request = payload.payload()
            request.originalTransactionId = String(first + number * 10_000)
            if let until {
                request.signedDate += (until.milliseconds - request.signedDate) * number / Int64(count - 1)
            }
            let response = try client.perform(.postJSON(builder.body(request), to: url))
            lines.append("\(request.originalTransactionId) \(request.signedDate) \(response.status)")
        }
        Console.print(lines: lines)
    }

    private func report(_ response: HTTPResponse, _ outcome: SendAttemptResult) {
        let flaw = response.status == 200 ? RealtimeAnswer.flaw(in: response.body) : nil
        let body = String(decoding: response.body, as: UTF8.self)
        let times = response.timings
        guard output.json else {
            let connecting =
                times.tlsMicroseconds > 0 ? "TLS after \(milliseconds(times.tlsMicroseconds)), " : ""
            return Console.print(lines: [
                "\(response.status) \(response.contentType ?? "without a type")", body,
                "\(milliseconds(times.totalMicroseconds)) (connected after "
                    + "\(milliseconds(times.connectMicroseconds)), \(connecting)first byte after "
                    + "\(milliseconds(times.firstByteMicroseconds)))",
                flaw.map { "\(outcome.rawValue): \($0)" } ?? outcome.rawValue,
            ])
        }
        Console.print(
            .object([
                ("status", JSONNode(response.status)), ("contentType", JSONNode(response.contentType)),
                ("body", JSONNode(parsing: response.body) ?? .string(body)),
                ("result", .string(outcome.rawValue)), ("flaw", JSONNode(flaw)),
                (
                    "microseconds",
                    .object([
                        ("connect", .integer(times.connectMicroseconds)),
                        ("tls", .integer(times.tlsMicroseconds)),
                        ("firstByte", .integer(times.firstByteMicroseconds)),
                        ("total", .integer(times.totalMicroseconds)),
                    ])
                ),
            ])
        )
    }
}

struct ConnectionOptions: ParsableArguments {
    @Option(help: "The authorities of the server's certificate, in PEM.", completion: .pem)
    var cacert: String?

    var configuration: HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        return configuration
    }
}

struct PayloadOptions: ParsableArguments {
    @Option(help: "The directory made by `init`.", completion: .directory)
    var authority: String

    @Option(help: "appAppleId: Apple's number of the app.")
    var app: Int64

    @Option(help: "productId: the product the customer is on.")
    var product: String

    @Option(help: "userLocale.")
    var locale = "en-US"

    @Option(help: "environment: Production, Sandbox, Xcode or LocalTesting.")
    var environment = Environment.localTesting

    @Option(help: "originalTransactionId.")
    var originalTransactionId = "99371282"

    @Option(help: "requestIdentifier; a new one for each request if absent.")
    var requestIdentifier: UUID?

    @Option(help: "signedDate: RFC 3339 or milliseconds since 1970; now if absent.")
    var signedDate: TimeArgument?

    @Option(
        name: .customLong("set"),
        help: "name=json: set a member of the payload, or leave it out without =json.")
    var changes: [String] = []

    func validate() throws {
        for change in changes where change.hasPrefix("=") || change.isEmpty {
            throw ValidationError("--set needs a name: '\(change)'")
        }
    }

    func requestBuilder() throws -> SignedRequestBuilder {
        try TestAuthority(directory: authority).requestBuilder
    }

    func payload() -> RequestPayload {
        var generator = SystemRandomNumberGenerator()
        var payload = RequestPayload(
            appAppleId: app, productId: product, environment: environment,
            requestIdentifier: requestIdentifier ?? UUID(randomFrom: &generator),
            signedDate: signedDate?.milliseconds ?? Clock.wallMilliseconds())
        payload.userLocale = locale
        payload.originalTransactionId = originalTransactionId
        payload.overrides = changes.map { change in
            guard let sign = change.firstIndex(of: "=") else { return (change, nil) }
            return (String(change[..<sign]), String(change[change.index(after: sign)...]))
        }
        return payload
    }
}

struct PerformanceTestCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "performance-test",
        abstract: "Replays Apple's performance test, which an endpoint must pass before production.",
        discussion: """
            Prints a result object in Apple's form. Then it prints what Apple's object does not contain (times in \
            fractions of a millisecond, every status, and the reasons behind TLS_ISSUE and similar results), and PASS \
            or FAIL. With --json it prints the object alone. Ends with 0 for PASS and with 1 for FAIL.

            An answer counts as a success if it has status 200 and exactly one of the four members, and if it comes \
            within the threshold. Apple does not publish the numbers that its own test uses.

            Example:
              appstore-simulator performance-test --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product \\
                --total-requests 5000 --max-concurrent-requests 20
            """
    )

    @Option(help: "The URL of the endpoint.")
    var url: String

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var payload: PayloadOptions
    @OptionGroup var numbers: PerformanceTestOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var test = PerformanceTest(configuration: numbers.configuration, url: url)
        test.authoritiesFile = connection.cacert
        let step = max(numbers.totalRequests / 100, 1)
        let result = try test.run(signing: payload.requestBuilder()) { _ in
            payload.payload()
        } progress: { count in
            if count % step == 0 { Console.progress("\(count) of \(numbers.totalRequests)") }
        }
        Console.endProgress()
        let document = result.response.json
        if output.json {
            Console.print(bytes: document + [UInt8(ascii: "\n")])
        } else {
            Console.print(pretty: JSONNode(parsing: document) ?? .null)
            Console.print(lines: result.lines + [result.isPass ? "PASS" : "FAIL"])
        }
        if !result.isPass { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

struct PerformanceTestOptions: ParsableArguments {
    @Option(help: "Requests in flight at the same time, 1 to 256.")
    var maxConcurrentRequests = PerformanceTestConfiguration().maxConcurrentRequests

    @Option(help: "Requests in all, 1 to 10000000.")
    var totalRequests = PerformanceTestConfiguration().totalRequests

    @Option(help: "The longest time that the test may take, in milliseconds.")
    var totalDuration = PerformanceTestConfiguration().totalDuration

    @Option(help: "How long an answer may take, in milliseconds.")
    var responseTimeThreshold = PerformanceTestConfiguration().responseTimeThreshold

    @Option(help: "The percentage of requests that must succeed.")
    var successRateThreshold = PerformanceTestConfiguration().successRateThreshold

    var configuration: PerformanceTestConfiguration {
        var configuration = PerformanceTestConfiguration()
        configuration.maxConcurrentRequests = maxConcurrentRequests
        configuration.totalRequests = totalRequests
        configuration.totalDuration = totalDuration
        configuration.responseTimeThreshold = responseTimeThreshold
        configuration.successRateThreshold = successRateThreshold
        return configuration
    }
}

extension PerformanceTestResult {
    /// What Apple's result object does not have: one line each for the rate, the times, the statuses and the causes of failures.
    fileprivate var lines: [String] {
        let causes = causes.map { "\($0.outcome.rawValue) \($0.count) times: \($0.reason)" }
        guard answerCount > 0 else { return ["no answers"] + causes }
        let times = [
            ("average", averageMicroseconds), ("p50", percentile(50)), ("p90", percentile(90)),
            ("p95", percentile(95)), ("p99", percentile(99)),
        ]
        let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) times" }
        return [
            "\(answerCount) answers, \(Int64(answersPerSecond)) a second",
            "times: " + times.map { "\($0) \(milliseconds($1))" }.joined(separator: ", "),
            "statuses: " + counts.joined(separator: ", "),
        ] + causes
    }
}

/// A duration with two decimals: `1.27 ms`.
private func milliseconds(_ microseconds: Int64) -> String {
    let hundredths = (microseconds + 5) / 10
    return "\(hundredths / 100).\(String(100 + hundredths % 100).dropFirst()) ms"
}
