internal import ArgumentParser
internal import HTTPClient

/// The options that say which endpoint gets the requests, and how the tool connects to it.
struct EndpointOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The endpoint.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp(
            "The authorities the server's certificate may come from, in PEM.",
            valueName: "file"
        ),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @Option(help: ArgumentHelp("HTTP version: 1.1 or 2.", valueName: "version"))
    var http = HTTPClientConfiguration.ProtocolVersion.http1
}
