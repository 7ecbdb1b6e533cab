internal import AppStoreServerAPI
internal import ArgumentParser
internal import System
internal import Vocabulary

/// Performance tests by Apple's server.
struct ApplePerformanceTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "performance-test",
        abstract: "Starts Apple's performance test of the Sandbox URL and prints its result.",
        subcommands: [
            ApplePerformanceTestStart.self, ApplePerformanceTestResult.self, ApplePerformanceTestWait.self,
        ]
    )
}

/// Initiate Performance Test.
struct ApplePerformanceTestStart: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Starts a test and prints its identifier.",
        discussion: """
            Apple runs one test at a time, in Sandbox alone. The subscription must be active, bought in Sandbox, \
            renew by itself and not be shared with a family.

            Example:
              retentionctl apple performance-test start 2000000001 \\
                --environment Sandbox
            """
    )

    @Argument(help: ArgumentHelp("The originalTransactionId of a Sandbox subscription.", valueName: "id"))
    var originalTransactionId: String

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        let test = try session.client.startPerformanceTest(originalTransactionId: originalTransactionId)
        if output.json {
            Console.print(test.json)
        } else {
            Console.print(test.requestId)
            let duration = DurationText.of(test.config.totalDuration)
            Console.note(
                "\(test.config.totalRequests) requests in \(duration), at most "
                    + "\(test.config.responseTimeThreshold) ms each, \(test.config.successRateThreshold) % must succeed"
            )
        }
    }
}

/// Get Performance Test Results.
struct ApplePerformanceTestResult: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "result",
        abstract: "Prints the state and the numbers of a test.",
        discussion: """
            Ends with 0 for PASS, and with 1 for any other state.

            Example:
              retentionctl apple performance-test result \\
                7c1f0f5e-3f0a-4f7e-9f5e-7a1d2c3b4a59 \\
                --environment Sandbox
            """
    )

    @Argument(
        help: ArgumentHelp("The identifier that the start of the test printed.", valueName: "request-id")
    )
    var requestId: String

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try session.client.performanceTestResult(requestId: requestId).show(json: output.json)
    }
}

/// Get Performance Test Results, again and again.
struct ApplePerformanceTestWait: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits until a test has ended and prints its result.",
        discussion: """
            Asks every 10 seconds, as often as Apple's rate for Sandbox allows all hour. Ends with 0 for PASS, and \
            with 1 for any other state, also when the time is over.

            Example:
              retentionctl apple performance-test wait \\
                7c1f0f5e-3f0a-4f7e-9f5e-7a1d2c3b4a59 \\
                --environment Sandbox
            """
    )

    @Argument(
        help: ArgumentHelp("The identifier that the start of the test printed.", valueName: "request-id")
    )
    var requestId: String

    @Option(help: ArgumentHelp("The longest time to wait, in seconds.", valueName: "seconds"))
    var timeout: Int64 = 3600

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    /// The time between two calls. Source: Apple allows 0.1 calls per second in Sandbox.
    private static let intervalMilliseconds: Int32 = 10_000

    func validate() throws {
        guard (0...86_400).contains(timeout) else { throw ValidationError("--timeout must be 0 to 86400.") }
    }

    func run() throws {
        let session = try apple.session()
        let end = Clock.monotonicNanoseconds() + UInt64(timeout) * 1_000_000_000
        var result = try session.client.performanceTestResult(requestId: requestId)
        while result.result == .pending, Clock.monotonicNanoseconds() < end {
            Console.progress("PENDING, \(result.numPending.map { "\($0) requests left" } ?? "running")")
            _ = try Readiness.wait(for: [], timeoutMilliseconds: Self.intervalMilliseconds)
            result = try session.client.performanceTestResult(requestId: requestId)
        }
        Console.endProgress()
        try result.show(json: output.json)
    }
}

extension PerformanceTestResultResponse {
    /// Prints the result. Ends with 1 unless it is PASS.
    fileprivate func show(json: Bool) throws {
        if json { Console.print(self.json) } else { Console.print(lines: lines) }
        if result != .pass { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private var lines: [String] {
        var lines: [String] = []
        if let target { lines.append("target: \(target)") }
        if let successRate { lines.append("success rate: \(successRate) %") }
        if let numPending, numPending > 0 { lines.append("pending: \(numPending)") }
        if let times = responseTimes {
            lines.append(
                "times: average \(times.average) ms, p50 \(times.p50) ms, p90 \(times.p90) ms, "
                    + "p95 \(times.p95) ms, p99 \(times.p99) ms"
            )
        }
        lines += failures.map { "\($0.name): \($0.count)" }
        return lines + [result.rawValue]
    }
}
