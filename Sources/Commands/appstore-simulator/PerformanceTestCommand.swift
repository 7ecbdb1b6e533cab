internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import System

/// Plays Apple's performance test against an endpoint.
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

    @Option(help: ArgumentHelp("The URL of the endpoint.", valueName: "url"))
    var url: String

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var payload: PayloadOptions
    @OptionGroup var numbers: PerformanceTestOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var test = PerformanceTest(configuration: numbers.configuration, url: url)
        test.authoritiesFile = connection.cacert
        test.protocolVersion = connection.http
        let step = max(numbers.totalRequests / 100, 1)
        let result = try test.run(signing: payload.requestBuilder()) { _ in
            payload.payload()
        } progress: { count in
            if count % step == 0 { Console.progress("\(count) of \(numbers.totalRequests)") }
        }
        Console.endProgress()
        let document = result.response.json
        if output.json { Console.print(document) } else { Console.print(pretty: document) }
        if !output.json { Console.print(lines: result.notes + [result.isPass ? "PASS" : "FAIL"]) }
        if !result.isPass { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

struct PerformanceTestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Requests in flight at the same time, 1 to 256.", valueName: "number"))
    var maxConcurrentRequests = PerformanceTestConfiguration().maxConcurrentRequests

    @Option(help: ArgumentHelp("Requests in all, 1 to 10000000.", valueName: "number"))
    var totalRequests = PerformanceTestConfiguration().totalRequests

    @Option(
        help: ArgumentHelp("The longest time that the test may take, in milliseconds.", valueName: "number")
    )
    var totalDuration = PerformanceTestConfiguration().totalDuration

    @Option(help: ArgumentHelp("How long an answer may take, in milliseconds.", valueName: "number"))
    var responseTimeThreshold = PerformanceTestConfiguration().responseTimeThreshold

    @Option(help: ArgumentHelp("The percentage of requests that must succeed.", valueName: "percent"))
    var successRateThreshold = PerformanceTestConfiguration().successRateThreshold

    /// The numbers, not checked.
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
    fileprivate var notes: [String] {
        let causes = causes.map { "\($0.outcome.rawValue) \($0.count) times: \($0.reason)" }
        guard let rate = answersPerSecond else { return ["no answers"] + causes }
        let times = [
            ("average", responseTimes.averageMicroseconds), ("p50", responseTimes.p50Microseconds),
            ("p90", responseTimes.p90Microseconds), ("p95", responseTimes.p95Microseconds),
            ("p99", responseTimes.p99Microseconds),
        ]
        return [
            "\(answerCount) answers, \(Int64(rate)) a second",
            "times: " + times.map { "\($0) \(Milliseconds.text($1))" }.joined(separator: ", "),
            "statuses: " + statuses.map { "\($0.status) \($0.count) times" }.joined(separator: ", "),
        ] + causes
    }
}

enum Milliseconds {
    /// Returns the duration in milliseconds with two decimals, rounded to the nearest: `1.27 ms`.
    static func text(_ microseconds: Int64) -> String {
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    }
}
