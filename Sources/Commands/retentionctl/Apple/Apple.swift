internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

struct Apple: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
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
