internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

/// Plays the customers of a running simulator.
struct Subscriber: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a customer of a running simulator: buys, renews, accepts an offer.",
        discussion: """
            The simulator sends the App Store Server Notifications that Apple would send, to the URL of `notify --to`. The \
            subscriptions and their promotional offers are those of --subscription and --offer of `serve`.
            """,
        subcommands: [Buy.self, Renew.self, Accept.self]
    )

    struct Buy: ToolCommand {
        static let configuration = CommandConfiguration(
            abstract: "A customer buys a subscription.",
            discussion: """
                The purchase may lie in the past; then the notification is signed at that time. The certificates of `init` are \
                valid from two years before they were made.

                Example:
                  appstore-simulator subscriber buy 2000000001 \\
                    --product pro_monthly --at 2026-06-01T10:00:00Z \\
                    --url http://127.0.0.1:8445
                """
        )

        @Option(help: ArgumentHelp("The product, one of --subscription of `serve`.", valueName: "id"))
        var product: String

        @Option(
            help: ArgumentHelp(
                "The time of the purchase: RFC 3339 or milliseconds since 1970; now if absent.",
                valueName: "time")
        )
        var at: TimeArgument?

        @OptionGroup var customer: CustomerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let date = at.map { [("date", JSONNode.integer($0.milliseconds))] } ?? []
            try customer.play("purchase", [("productId", .string(product))] + date, json: output.json)
        }
    }

    struct Renew: ToolCommand {
        static let configuration = CommandConfiguration(
            abstract: "A subscription renews for each period that has ended.",
            discussion: """
                Each notification is signed at the time when its period begins. Apple may charge a renewal up to a day before \
                the period begins. Ends with 1 if there is nothing to renew.

                Example:
                  appstore-simulator subscriber renew 2000000001 \\
                    --url http://127.0.0.1:8445
                """
        )

        @Flag(help: "Also renew the period that ends within 24 hours.")
        var ahead = false

        @OptionGroup var customer: CustomerOptions
        @OptionGroup var output: OutputOptions

        func run() throws { try customer.play("renewal", [("isAhead", .boolean(ahead))], json: output.json) }
    }

    struct Accept: ToolCommand {
        static let configuration = CommandConfiguration(
            abstract: "A customer accepts the promotional offer of an answer to Get Retention Message.",
            discussion: """
                The simulator checks the answer as the App Store does: Apple must know and have approved the message; a key of \
                the team (--key of `serve`) must have signed the offer, for this app and this subscriber, within the last 24 \
                hours; each signature is good once. The offer must be for the product that the subscriber has. It begins with \
                the coming period. Ends with 1 if the App Store does not sell the offer; the error says why.

                Example:
                  appstore-simulator request --json … > answer.json
                  appstore-simulator subscriber accept 2000000001 \\
                    --answer answer.json \\
                    --url http://127.0.0.1:8445
                """
        )

        @Option(
            help: ArgumentHelp(
                "The answer in JSON, or what `request --json` printed; - for standard input.",
                valueName: "file"),
            completion: .file(extensions: ["json"])
        )
        var answer: String

        @OptionGroup var customer: CustomerOptions
        @OptionGroup var output: OutputOptions

        /// The longest file in bytes. The simulator takes bodies of 64 KiB.
        private static let answerByteCount = 48 << 10

        func run() throws {
            let text = try Input.read(answer, limitBytes: Self.answerByteCount)
            let limits = JSONLimits(byteCount: Self.answerByteCount, depth: 8)
            let document = try ToolError.about(answer) {
                try JSONDocument(parsing: text.span, limits: limits)
            }
            // What `request --json` prints has the answer in `body`.
            let body = document.root.member("body") ?? document.root
            try customer.play("acceptance", [("answer", JSONNode(body))], json: output.json)
        }
    }
}

/// The customer whom a command plays, and the simulator that knows the customer.
struct CustomerOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The original transaction identifier.", valueName: "subscriber"))
    var subscriber: Int64

    @OptionGroup var simulator: SimulatorOptions

    /// Lets the simulator do what the customer does, and prints the notifications of it.
    ///
    /// - Throws: the failure that the simulator's word for it means.
    func play(_ name: String, _ members: [(String, JSONNode)], json: Bool) throws {
        let answer = try simulator.post(
            name, [("subscriber", .integer(subscriber))] + members, for: "notifications")
        guard !json else { return Console.print(bytes: answer.text + [UInt8(ascii: "\n")]) }
        Console.print(lines: (answer.root.member("notifications")?.elements ?? []).map(Self.line))
    }

    private static func line(_ value: JSONValue) -> String {
        func text(_ name: String) -> String { value.member(named: name)?.string ?? "-" }
        func date(_ name: String) -> String {
            value.member(named: name)?.int64.map { CivilTime(milliseconds: $0).description } ?? "-"
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
