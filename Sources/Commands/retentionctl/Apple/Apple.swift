internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

struct Apple: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Calls Apple's server for one app in one environment.",
        discussion: """
            Apple allows a number of calls of each kind in an hour; a command waits when they are used up.

            Example:
              export RETENTIONCTL_KEY_FILE=SubscriptionKey_2X9R4HXF34.p8
              export RETENTIONCTL_KEY_ID=2X9R4HXF34
              export RETENTIONCTL_ISSUER_ID=57246542-96fe-1a63-e053-0824d011072a
              export RETENTIONCTL_BUNDLE_ID=com.example.app
              retentionctl apple auth --environment Sandbox
              retentionctl apple api listMessages --environment Sandbox
            """,
        subcommands: [
            AppleAuth.self, AppleAPI.self, ApplePerformanceTest.self, AppleTestNotification.self,
        ]
    )
}

struct AppleAuth: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth",
        abstract: "Checks the credentials with one call that changes nothing.",
        discussion: """
            Asks for the real-time URL. Ends with 0 when Apple's server accepts the token, and with 1 when it does not; \
            the error then says what to check, and how wrong this machine's clock is.

            Example:
              retentionctl apple auth --environment Sandbox --key-file key.p8 \\
                --key-id 2X9R4HXF34 \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --bundle-id com.example.app
            """
    )

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        _ = try session.client.realtimeURL()
        let members: [(String, JSONNode)] = [
            ("accepted", .boolean(true)), ("environment", .string(session.server.environment.rawValue)),
            ("server", .string(session.server.baseURL)), ("keyId", .string(session.credentials.keyId)),
            ("issuerId", .string(session.credentials.issuerId)),
            ("bundleId", .string(session.credentials.bundleId)),
        ]
        Report(members).print(json: output.json)
    }
}

struct ApplePerformanceTest: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "performance-test",
        abstract: "Has Apple test the Sandbox URL, and prints the result.",
        discussion: """
            Apple runs one test at a time, in Sandbox alone. The subscription must be active, bought in Sandbox, renew by \
            itself and not be shared with a family. The command starts a test, names it, and asks for its result after 1, \
            2, 4 and 8 seconds and then every 10, as often as Apple allows all hour. --request-id waits for a test that \
            runs already. Ends with 0 for PASS, and with 1 for any other state, also when the time is over.

            Example:
              retentionctl apple performance-test 2000000001 \\
                --environment Sandbox
            """
    )

    @Argument(help: "The originalTransactionId of a Sandbox subscription.")
    var originalTransactionId: String?

    @Option(help: "Wait for the test with this requestId instead.")
    var requestId: String?

    @Option(help: "The longest time to wait, in seconds.")
    var timeout: Int64 = 3600

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...86_400).contains(timeout) else { throw ValidationError("--timeout must be 0 to 86400.") }
        guard (originalTransactionId == nil) != (requestId == nil) else {
            throw ValidationError("Give an originalTransactionId or --request-id.")
        }
    }

    func run() throws {
        let client = try apple.session().client
        let requestId = try requestId ?? start(client)
        let longest = Int64(3_600_000 / RateLimits.callsPerHour(of: .getTestResult, in: .sandbox))
        var interval: Int64 = 1000
        let end = Clock.monotonicNanoseconds() + UInt64(timeout) * 1_000_000_000
        var test = try result(requestId, client)
        while test.state == "PENDING", Clock.monotonicNanoseconds() < end {
            let left = test.document?.member("numPending")?.int64
            Console.progress("PENDING, \(left.map { "\($0) requests left" } ?? "running")")
            Clock.sleep(milliseconds: interval)
            interval = min(2 * interval, longest)
            test = try result(requestId, client)
        }
        Console.endProgress()
        if case .object(let members)? = test.document.map({ JSONNode($0) }) {
            Report(members).print(json: output.json)
        }
        if test.state != "PASS" { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func start(_ client: AppStoreServerClient) throws -> String {
        let body = JSONNode.object([("originalTransactionId", .string(originalTransactionId ?? ""))])
        let answer = try client.perform(.startTest, [], body: body.serialized()).document
        guard let requestId = answer?.member("requestId")?.string else {
            throw AppStoreServerAPIError.malformed(.other("the answer has no requestId"))
        }
        Console.log("the test runs; --request-id \(requestId) asks for its result again")
        return requestId
    }

    private func result(_ requestId: String, _ client: AppStoreServerClient) throws -> (
        document: JSONValue?, state: String
    ) {
        let document = try client.perform(.getTestResult, [("requestId", requestId)], body: nil).document
        guard let state = document?.member("result")?.string else {
            throw AppStoreServerAPIError.malformed(.other("the answer has no result"))
        }
        return (document, state)
    }
}

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

    @Option(help: "Ask about this test notification instead of requesting one.")
    var token: String?

    @Option(help: "The longest time to wait, in seconds.")
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
    var node: JSONNode {
        .object([
            ("attemptDate", attemptDate.map { .integer($0) } ?? .null),
            ("sendAttemptResult", sendAttemptResult.map { .string($0) } ?? .null),
        ])
    }
}
