internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

struct ApplePerformanceTest: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "performance-test",
        abstract: "Has Apple test the Sandbox URL, and prints the result.",
        discussion: """
            Apple runs one test at a time, in Sandbox alone. The subscription must be active, bought in Sandbox, renew by \
            itself and not be shared with a family. The command starts a test, names it, and asks for its result every 10 \
            seconds, as often as Apple allows all hour. --request-id waits for a test that runs already. Ends with 0 for \
            PASS, and with 1 for any other state, also when the time is over.

            Example:
              retentionctl apple performance-test 2000000001 \\
                --environment Sandbox
            """
    )

    @Argument(help: ArgumentHelp("The originalTransactionId of a Sandbox subscription.", valueName: "id"))
    var originalTransactionId: String?

    @Option(help: ArgumentHelp("Wait for the test with this requestId instead.", valueName: "id"))
    var requestId: String?

    @Option(help: ArgumentHelp("The longest time to wait, in seconds.", valueName: "seconds"))
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
        let interval = Int64(3_600_000 / RateLimits.callsPerHour(of: .getTestResult, in: .sandbox))
        let end = Clock.monotonicNanoseconds() + UInt64(timeout) * 1_000_000_000
        var test = try result(requestId, client)
        while test.state == "PENDING", Clock.monotonicNanoseconds() < end {
            let left = test.document?.member("numPending")?.int64
            Console.progress("PENDING, \(left.map { "\($0) requests left" } ?? "running")")
            Clock.sleep(milliseconds: interval)
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
        Console.note("the test runs; --request-id \(requestId) asks for its result again")
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
