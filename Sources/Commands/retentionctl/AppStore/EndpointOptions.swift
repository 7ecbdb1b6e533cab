internal import ArgumentParser
internal import HTTPClient

/// The options that say which endpoint gets the requests, and how the tool connects to it.
struct EndpointOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The URL of the endpoint.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust for the server's certificate, in PEM.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @Option(help: ArgumentHelp("HTTP version: 1.1 or 2.", valueName: "version"))
    var http = HTTPClientConfiguration.ProtocolVersion.http1
}
