internal import AppStoreSimulator
internal import ArgumentParser
internal import HTTPClient
internal import JSON
internal import Vocabulary

/// Plays the customers of a running simulator.
struct AppStoreSubscriber: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriber",
        abstract: "Plays a customer of a running simulator: buys, renews, accepts an offer.",
        discussion: """
            The simulator sends the App Store Server Notifications that Apple would send, to the URL of `appstore notify \
            url`. The subscriptions and their promotional offers are those of --subscription and --offer of `appstore serve`.
            """,
        subcommands: [
            AppStoreSubscriberBuy.self, AppStoreSubscriberRenew.self, AppStoreSubscriberAccept.self,
        ]
    )
}

/// Buys a subscription.
struct AppStoreSubscriberBuy: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "A customer buys a subscription.",
        discussion: """
            The purchase may lie in the past; then the notification is signed at that time. The certificates of `appstore \
            init` are valid from two years before they were made.

            Example:
              retentionctl appstore subscriber buy 2000000001 \\
                --product pro_monthly --at 2026-06-01T10:00:00Z \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Argument(help: ArgumentHelp("The original transaction identifier.", valueName: "subscriber"))
    var subscriber: Int64

    @Option(help: ArgumentHelp("The product, one of --subscription of `appstore serve`.", valueName: "id"))
    var product: String

    @Option(
        help: ArgumentHelp(
            "The time of the purchase: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time"
        )
    )
    var at: TimeArgument?

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var members: [(String, JSONNode)] = [
            ("subscriber", .integer(subscriber)), ("productId", .string(product)),
        ]
        if let at { members.append(("date", .integer(at.milliseconds))) }
        try SubscriberEvents(simulator.post("purchase", members)).show(json: output.json)
    }
}

/// Renews a subscription.
struct AppStoreSubscriberRenew: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "A subscription renews for each period that has ended.",
        discussion: """
            Each notification is signed at the time when its period begins. Apple may charge a renewal up to a day before the \
            period begins: --ahead also renews the period that ends within 24 hours. Ends with 1 if there is nothing to renew.

            Example:
              retentionctl appstore subscriber renew 2000000001 \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Argument(help: ArgumentHelp("The original transaction identifier.", valueName: "subscriber"))
    var subscriber: Int64

    @Flag(help: "Also renew the period that ends within 24 hours.")
    var ahead = false

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let members: [(String, JSONNode)] = [
            ("subscriber", .integer(subscriber)), ("isAhead", .boolean(ahead)),
        ]
        try SubscriberEvents(simulator.post("renewal", members)).show(json: output.json)
    }
}

/// Accepts the offer of an answer.
struct AppStoreSubscriberAccept: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "A customer accepts the promotional offer of an answer to Get Retention Message.",
        discussion: """
            The simulator checks the answer as the App Store does: Apple must know and have approved the message; a key of the \
            team (--key of `appstore serve`) must have signed the offer, for this app and this subscriber, within the last 24 \
            hours; each signature is good once. The offer must be for the product that the subscriber has. It begins with the \
            coming period. Ends with 1 if the App Store does not sell the offer; the error says why.

            The file has the answer, or what `appstore request --json` printed.

            Example:
              retentionctl appstore request --json … > answer.json
              retentionctl appstore subscriber accept 2000000001 \\
                --answer answer.json \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Argument(help: ArgumentHelp("The original transaction identifier.", valueName: "subscriber"))
    var subscriber: Int64

    @Option(
        help: ArgumentHelp("The answer in JSON; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var answer: String

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    /// The longest file in bytes. The simulator takes bodies of 64 KiB.
    private static let answerByteCount = 48 << 10

    func run() throws {
        let text = try Input.read(answer, limitBytes: Self.answerByteCount)
        let limits = JSONLimits(byteCount: Self.answerByteCount, depth: 8)
        let document = try JSONError.mapped(
            to: { ToolFailure(.badData, [Finding($0).inFile(answer)]) },
            try JSONDocument(parsing: text.span, limits: limits)
        )
        // What `appstore request --json` prints has the answer in `body`.
        let body = document.root.member("body") ?? document.root
        let members: [(String, JSONNode)] = [
            ("subscriber", .integer(subscriber)), ("answer", JSONNode(body)),
        ]
        try SubscriberEvents(simulator.post("acceptance", members)).show(json: output.json)
    }
}

/// The notifications that the simulator has made for what a customer did.
private struct SubscriberEvents {
    private let response: HTTPResponse
    private let notifications: [JSONValue]

    init(_ response: HTTPResponse) throws(ToolFailure) {
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard let list = root?.member("notifications"), list.kind == .array else {
            throw SimulatorOptions.failure(response)
        }
        self.response = response
        notifications = list.elements
    }

    func show(json: Bool) {
        guard !json else { return Console.print(bytes: response.body + [UInt8(ascii: "\n")]) }
        Console.print(lines: notifications.map(Self.line))
    }

    private static func line(_ value: JSONValue) -> String {
        func text(_ name: String) -> String { value.member(named: name)?.string ?? "-" }
        func date(_ name: String) -> String {
            value.member(named: name)?.int64.map { FactText.date($0) } ?? "-"
        }
        func price(_ name: String) -> String { value.member(named: name)?.int64.map { String($0) } ?? "-" }
        let offer = value.member("offerIdentifier")?.string.map { " with the offer \($0)" } ?? ""
        let coming =
            value.member("renewalOfferIdentifier")?.string.map {
                ", then \(price("renewalPrice")) with the offer \($0)"
            } ?? ""
        return "\(date("signedDate"))  \(text("kind")): \(text("productId")) to \(date("expiresDate")) for "
            + "\(price("price"))\(offer)\(coming)"
    }
}
