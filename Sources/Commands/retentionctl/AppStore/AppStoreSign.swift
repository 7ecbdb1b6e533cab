internal import AppStoreTraffic
internal import ArgumentParser

/// Signs requests without sending them.
struct AppStoreSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Prints signed request bodies, for curl and load generators.",
        discussion: """
            Example:
              retentionctl appstore sign --authority ./authority \\
                --app 531412 --product com.example.product \\
                | curl --cacert ./authority/tls-authority.pem \\
                  -H 'Content-Type: application/json' --data-binary @- \\
                  https://localhost:8443/retention-message
            """
    )

    @OptionGroup var payload: PayloadOptions

    @Flag(help: "Print the JWS alone, without {\"signedPayload\":…} around it.")
    var jws = false

    @Option(
        help: ArgumentHelp(
            "The number of bodies to print, one on each line, each with its own requestIdentifier.",
            valueName: "number")
    )
    var count = 1

    func validate() throws {
        guard (1...1_000_000).contains(count) else { throw ValidationError("--count must be 1 to 1000000.") }
    }

    func run() throws {
        let builder = try payload.requestBuilder()
        for _ in 0..<count {
            let text = try builder.compact(payload.payload().json)
            Console.print(bytes: (jws ? text : SignedRequestBuilder.wrap(text)) + [UInt8(ascii: "\n")])
        }
    }
}
