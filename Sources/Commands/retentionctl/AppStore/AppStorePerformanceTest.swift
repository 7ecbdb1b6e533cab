internal import AppStoreTraffic
internal import ArgumentParser

/// Plays Apple's performance test against an endpoint.
struct AppStorePerformanceTest: ToolCommand {
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
              retentionctl appstore performance-test --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product \\
                --total-requests 5000 --max-concurrent-requests 20
            """
    )

    @OptionGroup var endpoint: EndpointOptions
    @OptionGroup var payload: PayloadOptions

    @OptionGroup var numbers: PerformanceTestOptions

    @Option(
        help: ArgumentHelp("How many redirections of a request are followed, 0 to 5.", valueName: "number")
    )
    var maxRedirects = 5

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...5).contains(maxRedirects) else { throw ValidationError("--max-redirects must be 0 to 5.") }
    }

    func run() throws {
        let totalRequests = numbers.totalRequests
        var test = PerformanceTest(configuration: numbers.configuration, url: endpoint.url)
        test.authoritiesFile = endpoint.cacert
        test.protocolVersion = endpoint.http
        test.redirectionCount = maxRedirects
        let step = max(totalRequests / 100, 1)
        let result = try test.run(signing: payload.requestBuilder()) { _ in
            payload.payload()
        } progress: { count in
            if count % step == 0 { Console.progress("\(count) of \(totalRequests)") }
        }
        Console.endProgress()
        Console.print(bytes: result.json(pretty: !output.json) + [UInt8(ascii: "\n")])
        if !output.json {
            Console.print(lines: result.notes + [result.isPass ? "PASS" : "FAIL"])
        }
        if !result.isPass { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
