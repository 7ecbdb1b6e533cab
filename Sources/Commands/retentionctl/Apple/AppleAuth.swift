internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Checks the credentials with a call that changes nothing.
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
        guard output.json else {
            Console.print("\(session.server.baseURL) accepts the credentials: \(session.credentials)")
            return
        }
        let document = JSONNode.object([
            ("accepted", .boolean(true)), ("environment", .string(session.server.environment.rawValue)),
            ("server", .string(session.server.baseURL)), ("keyId", .string(session.credentials.keyId)),
            ("issuerId", .string(session.credentials.issuerId)),
            ("bundleId", .string(session.credentials.bundleId)),
        ])
        Console.print(document)
    }
}
