internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

struct AppleTestNotification: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-notification",
        abstract: "Has Apple send a notification of the type TEST, and prints whether it arrived.",
        discussion: """
            Calls Request a Test Notification, then Get Test Notification Status as often as Apple allows all hour: \
            every second in Production, every 10 seconds in Sandbox. Prints the time and the result of each attempt as \
            Apple reports them. Ends with 0 when an attempt has the result SUCCESS, and with 1 when Apple reports \
            another result or nothing in time. The token names the notification afterwards, see --token.

            Example:
              retentionctl apple test-notification --environment Sandbox \\
                --profile apple.json
            """
    )

    @Option(
        help: ArgumentHelp("Ask about this test notification instead of requesting one.", valueName: "token")
    )
    var token: String?

    @Option(help: ArgumentHelp("The longest time to wait, in seconds.", valueName: "seconds"))
    var timeout: Int64 = 60

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...86_400).contains(timeout) else { throw ValidationError("--timeout must be 0 to 86400.") }
    }

    func run() throws {
        let session = try apple.session()
        let token = try token ?? session.client.requestTestNotification()
        let calls = RateLimits.callsPerHour(of: .testNotificationStatus, in: apple.environment)
        let interval = Int64(3_600_000 / calls)
        let end = Clock.monotonicNanoseconds() + UInt64(timeout) * 1_000_000_000
        var sent = try session.client.testNotificationStatus(token: token)
        while sent?.sendAttempts.isEmpty ?? true,
            Clock.monotonicNanoseconds() + UInt64(interval) * 1_000_000 <= end
        {
            Console.progress("waiting for the status of the test notification")
            Clock.sleep(milliseconds: interval)
            sent = try session.client.testNotificationStatus(token: token)
        }
        Console.endProgress()
        let attempts = sent?.sendAttempts ?? []
        let members = [
            ("testNotificationToken", JSONNode.string(token)), ("sendAttempts", .array(attempts.map(\.node))),
        ]
        Report(members).print(json: output.json)
        guard attempts.contains(where: { $0.sendAttemptResult == "SUCCESS" }) else {
            throw ExitCode(ExitStatus.no.rawValue)
        }
    }
}

extension SentNotification.SendAttempt {
    /// The attempt as JSON, with Apple's names.
    var node: JSONNode {
        .object([
            ("attemptDate", attemptDate.map { .integer($0) } ?? .null),
            ("sendAttemptResult", sendAttemptResult.map { .string($0) } ?? .null),
        ])
    }
}
