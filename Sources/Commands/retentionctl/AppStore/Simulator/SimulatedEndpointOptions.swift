internal import AppStoreSimulator
internal import AppStoreTraffic
internal import ArgumentParser

/// The options for the requests of a performance test.
struct SimulatedEndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The directory made by `appstore init`, whose leaf signs notifications and the requests of performance tests.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var authority: String?

    @Option(
        help: ArgumentHelp(
            "The authorities that the endpoint's certificate may come from, in PEM; that of --authority if absent.",
            valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @Option(
        help: ArgumentHelp(
            "Another host than this machine that performance tests and notifications may call. May be repeated.",
            valueName: "name")
    )
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("productId of the requests of performance tests.", valueName: "id"))
    var product = "com.example.product"

    @Option(help: ArgumentHelp("userLocale of the requests of performance tests.", valueName: "locale"))
    var locale = "en-US"

    /// Returns what signs notifications; nil without an authority.
    func signer() throws(AppStoreTrafficError) -> SignedRequestBuilder? {
        guard let authority else { return nil }
        return try TestAuthority(directory: authority).requestBuilder
    }

    /// The authorities that the certificates of called servers may come from.
    var authoritiesFile: String? {
        cacert ?? authority.map { TestAuthority.path(.serverAuthority, $0) }
    }

    /// Returns the processes that run the performance tests.
    func tests(configuration: PerformanceTestConfiguration) -> PerformanceTestProcesses {
        PerformanceTestProcesses(options: self, configuration: configuration)
    }
}
