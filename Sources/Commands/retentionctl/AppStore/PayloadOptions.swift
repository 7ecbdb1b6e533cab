internal import AppStoreTraffic
internal import ArgumentParser
internal import JSON
internal import System
internal import Vocabulary

/// The seven members of a request's payload as options, and an option to replace, add or leave out any member.
struct PayloadOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The directory made by `appstore init`.", valueName: "dir"),
        completion: .directory
    )
    var authority: String

    @Option(help: ArgumentHelp("appAppleId: Apple's number of the app.", valueName: "number"))
    var app: Int64

    @Option(help: ArgumentHelp("productId: the product the customer is on.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("userLocale.", valueName: "locale"))
    var locale = "en-US"

    @Option(help: ArgumentHelp("environment: Production, Sandbox, Xcode or LocalTesting.", valueName: "name"))
    var environment = Environment.localTesting

    @Option(help: ArgumentHelp("originalTransactionId.", valueName: "id"))
    var originalTransactionId = "99371282"

    @Option(help: ArgumentHelp("requestIdentifier; a new one for each request if absent.", valueName: "uuid"))
    var requestIdentifier: UUID?

    @Option(
        help: ArgumentHelp(
            "signedDate: RFC 3339 or milliseconds since 1970; now if absent.", valueName: "time")
    )
    var signedDate: TimeArgument?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Replace or add a member of the payload; its value is any JSON. Without =JSON leave the member out. May be repeated.",
            valueName: "name=json")
    )
    var changes: [String] = []

    func validate() throws {
        for change in changes where change.hasPrefix("=") || change.isEmpty {
            throw ValidationError("--set needs a name: '\(change)'")
        }
    }

    /// Returns the builder that signs requests with the test authority's key.
    func requestBuilder() throws -> SignedRequestBuilder {
        try TestAuthority(directory: authority).requestBuilder
    }

    func payload() -> RequestPayload {
        var payload = RequestPayload(
            appAppleId: app, productId: product, environment: environment,
            requestIdentifier: requestIdentifier ?? Self.randomIdentifier(),
            signedDate: signedDate?.milliseconds ?? Clock.wallMilliseconds())
        payload.userLocale = locale
        payload.originalTransactionId = originalTransactionId
        payload.overrides = changes.map { change in
            guard let sign = change.firstIndex(of: "=") else { return (change, nil) }
            return (String(change[..<sign]), String(change[change.index(after: sign)...]))
        }
        return payload
    }

    /// Returns a random UUID, version 4 (RFC 9562 section 5.4).
    private static func randomIdentifier() -> UUID {
        UUID(
            high: UInt64.random(in: 0...UInt64.max) & ~0xF000 | 0x4000,
            low: UInt64.random(in: 0...UInt64.max) & ~(0xC0 << 56) | 0x80 << 56)
    }
}
