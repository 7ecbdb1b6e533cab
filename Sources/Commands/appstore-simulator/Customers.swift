package import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import HTTPClient
internal import JSON
internal import System

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

        @Option(help: "The product, one of --subscription of `serve`.")
        var product: String

        @Option(help: "The time of the purchase: RFC 3339 or milliseconds since 1970; now if absent.")
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
            help: "The answer, or what `request --json` printed; - for standard input.", completion: .json)
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

struct CustomerOptions: ParsableArguments {
    @Argument(help: "The original transaction identifier.")
    var subscriber: Int64

    @OptionGroup var simulator: SimulatorOptions

    func play(_ name: String, _ members: [(String, JSONNode)], json: Bool) throws {
        let answer = try simulator.post(
            name, [("subscriber", .integer(subscriber))] + members, for: "notifications")
        guard !json else { return Console.print(JSONNode(answer)) }
        Console.print(lines: (answer.member("notifications")?.elements ?? []).map(Self.line))
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

struct Notify: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Has a running simulator send App Store Server Notifications.",
        discussion: """
            --to sets the URL that gets them, which one enters in App Store Connect for each environment.

            Each kind is a notificationType, with a full stop and a subtype where Apple has one. The kinds are the life of \
            a subscriber, in their order; --count repeats it for as many subscribers, each with an identifier 10000 above \
            the one before. The simulator remembers each subscriber: a renewal begins the next period.

            Waits until the endpoint has answered for each, or could not be reached. Ends with 1 when it did not take one of \
            them at the first attempt, and prints what it answered.

            Examples:
              appstore-simulator notify --to https://localhost/notifications \\
                --url http://127.0.0.1:8445
              appstore-simulator notify SUBSCRIBED.INITIAL_BUY DID_RENEW \\
                DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED EXPIRED.VOLUNTARY \\
                --subscriber 2000000001 --count 10 \\
                --url http://127.0.0.1:8445
            """
    )

    @Option(help: "Set the URL that gets the notifications.")
    var to: String?

    @Argument(
        help: "The events, as in DID_RENEW or EXPIRED.VOLUNTARY.",
        completion: .list(NotificationKind.documented.map(\.description)))
    var kinds: [String] = []

    @Flag(help: "One notification of every kind that Apple documents.")
    var allKinds = false

    @Option(
        help:
            "Events, one JSON object on each line: kind, subscriber, and perhaps signedDate in milliseconds since 1970.",
        completion: .file())
    var events: String?

    @Option(help: "The original transaction identifier of the first subscriber.")
    var subscriber: Int64 = 2_000_000_001

    @Option(help: "The number of subscribers.")
    var count: Int = 1

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    private static let batchCount = 400

    func validate() throws {
        guard !allKinds || kinds.isEmpty else { throw ValidationError("Give either kinds or --all-kinds.") }
        guard events == nil || !allKinds && kinds.isEmpty else {
            throw ValidationError("--events has the kinds itself.")
        }
        guard to != nil || allKinds || !kinds.isEmpty || events != nil else {
            throw ValidationError("Give kinds, --all-kinds, --events or --to.")
        }
        for kind in kinds where !NotificationKind.documented.contains(where: { $0.description == kind }) {
            throw ValidationError("There is no kind '\(kind)'.")
        }
        guard (1...1_000_000).contains(count) else { throw ValidationError("--count must be 1 to 1000000.") }
        guard (1...999_999_999_999).contains(subscriber) else {
            throw ValidationError("--subscriber must be 1 to 999999999999.")
        }
    }

    func run() throws {
        if let to {
            let answer = try simulator.post("notification-url", [("url", .string(to))], for: "url")
            guard allKinds || !kinds.isEmpty || events != nil else {
                if output.json { Console.print(JSONNode(answer)) }
                return
            }
        }
        let events = try self.events.map(Self.read) ?? made
        var sent: [JSONNode] = []
        var results: [[String]: Int64] = [:]
        for start in stride(from: 0, to: events.count, by: Self.batchCount) {
            let batch = Array(events[start..<min(start + Self.batchCount, events.count)])
            let root = try simulator.post("notifications", [("events", .array(batch))], for: "notifications")
            sent += (root.member("notifications")?.elements ?? []).map { JSONNode($0) }
            let first = root.member("first")?.int64 ?? 0
            results.merge(try outcome(of: first, batch.count), uniquingKeysWith: +)
        }
        let ordered = results.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let list = ordered.map { key, count in
            JSONNode.object([
                ("result", .string(key[0])), ("answer", .string(key[1])), ("count", .integer(count)),
            ])
        }
        output.print(
            json: .object([("notifications", .array(sent)), ("results", .array(list))]),
            lines: ["\(sent.count) notifications"]
                + ordered.map { key, count in "\(count) times \(key[0]): \(key[1])" })
        let isDelivered = results.keys.allSatisfy { $0[0] == SendAttemptResult.success.rawValue }
        guard isDelivered, !results.isEmpty else { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// The events of the options, for each subscriber in their order.
    private var made: [JSONNode] {
        let life = allKinds ? NotificationKind.documented.map(\.description) : kinds
        return (0..<Int64(count)).flatMap { number in
            life.map {
                JSONNode.object([
                    ("kind", .string($0)), ("subscriber", .integer(subscriber + number * 10_000)),
                ])
            }
        }
    }

    private static func read(_ path: String) throws -> [JSONNode] {
        var events: [JSONNode] = []
        try InputLines.forEach(in: path) { number, line in
            guard let event = JSONNode(parsing: line) else {
                throw ToolError([Finding(code: "simulator.malformed", "no JSON", file: path, line: number)])
            }
            events.append(event)
        }
        return events
    }

    /// Waits until an attempt to send each notification has ended, and counts the results with what came back.
    private func outcome(of first: Int64, _ count: Int) throws -> [[String]: Int64] {
        while true {
            let members: [(String, JSONNode)] = [
                ("first", .integer(first)), ("count", .integer(Int64(count))),
            ]
            let root = try simulator.post("deliveries", members, for: "results")
            guard root.member("pending")?.int64 == 0 else {
                Clock.sleep(milliseconds: 50)
                continue
            }
            var found: [[String]: Int64] = [:]
            for entry in root.member("results")?.elements ?? [] {
                let key = [entry.member("result")?.string ?? "", entry.member("answer")?.string ?? ""]
                found[key, default: 0] += entry.member("count")?.int64 ?? 0
            }
            return found
        }
    }
}

struct Review: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Approves or rejects messages and images in a running simulator.",
        discussion: """
            A rejection also removes the defaults that name them.

            Examples:
              appstore-simulator review approve --all \\
                --url http://127.0.0.1:8444
              appstore-simulator review reject \\
                551ee7c0-c097-418e-9dd5-2a98533a7390 \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Argument(help: "approve or reject.")
    var decision: ReviewDecision

    @Argument(help: "The messages and images to decide about.")
    var identifiers: [UUID] = []

    @Flag(help: "Decide about everything that is pending.")
    var all = false

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == identifiers.isEmpty else {
            throw ValidationError("Give either identifiers or --all.")
        }
    }

    func run() throws {
        var members: [(String, JSONNode)] = [("decision", .string(decision.rawValue))]
        if !all { members.append(("identifiers", .array(identifiers.map { .string($0.description) }))) }
        let answer = try simulator.post("review", members, for: "changed")
        let changed = (answer.member("changed")?.elements ?? []).map { item in
            ["kind", "identifier", "state"].compactMap { item.member(named: $0)?.string }
                .joined(separator: " ")
        }
        output.print(json: JSONNode(answer), lines: changed)
    }
}

extension ReviewDecision: ExpressibleByArgument {}

struct SimulatorOptions: ParsableArguments {
    @Option(help: "The simulator in one environment: http://127.0.0.1:8444, or what nginx serves.")
    var url: String

    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The app; needed when the simulator has several.")
    var bundleId: String?

    /// Posts to one of the paths of the simulator's user, and returns the answer, which has `member`.
    func post(_ name: String, _ members: [(String, JSONNode)], for member: String) throws -> JSONValue {
        var members = members
        if let bundleId { members.append(("bundleId", .string(bundleId))) }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let response = try HTTPClient(configuration: connection.configuration).perform(
            .postJSON(
                JSONNode.object(members).serialized(),
                to: base + AppStoreSimulator.administrationPrefix + name)
        )
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard response.status == 200, let root, root.member(named: member) != nil else {
            guard response.status < 500, let message = root?.member("message")?.string else {
                throw ToolError(
                    .unreachable, code: "simulator.unreachable",
                    "no simulator answers there (status \(response.status))")
            }
            throw response.status == 400
                ? ToolError(code: "simulator.malformed", message)
                : ToolError(.no, code: "simulator.refused", message)
        }
        return root
    }
}
