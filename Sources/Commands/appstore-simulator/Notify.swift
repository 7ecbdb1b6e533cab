internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

/// Has a running simulator send notifications.
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

    @Option(help: ArgumentHelp("Set the URL that gets the notifications.", valueName: "url"))
    var to: String?

    @Argument(
        help: ArgumentHelp("The events, as in DID_RENEW or EXPIRED.VOLUNTARY.", valueName: "kind"),
        completion: .list(NotificationKind.documented.map(\.description))
    )
    var kinds: [String] = []

    @Flag(help: "One notification of every kind that Apple documents.")
    var allKinds = false

    @Option(
        help: ArgumentHelp(
            "The original transaction identifier of the first subscriber.", valueName: "number")
    )
    var subscriber: Int64 = 2_000_000_001

    @Option(help: ArgumentHelp("The number of subscribers.", valueName: "number"))
    var count: Int = 1

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    /// How far the identifiers of two subscribers are apart; those of a subscriber's transactions lie between.
    private static let subscriberStep: Int64 = 10_000
    /// The events that one request carries. The simulator takes bodies of 64 KiB.
    private static let batchCount = 400

    func validate() throws {
        guard !allKinds || kinds.isEmpty else { throw ValidationError("Give either kinds or --all-kinds.") }
        guard to != nil || allKinds || !kinds.isEmpty else {
            throw ValidationError("Give kinds, --all-kinds or --to.")
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
            guard allKinds || !kinds.isEmpty else {
                if output.json { Console.print(bytes: answer.text + [UInt8(ascii: "\n")]) }
                return
            }
        }
        let life = allKinds ? NotificationKind.documented.map(\.description) : kinds
        let events = (0..<Int64(count)).flatMap { number in
            life.map { (subscriber + number * Self.subscriberStep, $0) }
        }
        var sent: [JSONNode] = []
        var batches: [(first: Int64, count: Int)] = []
        for start in stride(from: 0, to: events.count, by: Self.batchCount) {
            let batch = events[start..<min(start + Self.batchCount, events.count)].map { subscriber, kind in
                JSONNode.object([("kind", .string(kind)), ("subscriber", .integer(subscriber))])
            }
            let root = try simulator.post("notifications", [("events", .array(batch))], for: "notifications")
                .root
            sent += (root.member("notifications")?.elements ?? []).map { JSONNode($0) }
            batches.append((root.member("first")?.int64 ?? 0, batch.count))
        }
        var results: [[String]: Int64] = [:]
        for batch in batches {
            results.merge(try outcome(of: batch.first, batch.count), uniquingKeysWith: +)
        }
        let ordered = results.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        if output.json {
            let list = ordered.map { key, count in
                JSONNode.object([
                    ("result", .string(key[0])), ("answer", .string(key[1])), ("count", .integer(count)),
                ])
            }
            Console.print(.object([("notifications", .array(sent)), ("results", .array(list))]))
        } else {
            Console.print("\(sent.count) notifications")
            for (key, count) in ordered { Console.print("\(count) times \(key[0]): \(key[1])") }
        }
        let isDelivered = results.keys.allSatisfy { $0[0] == SendAttemptResult.success.rawValue }
        guard isDelivered, !results.isEmpty else { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Waits until an attempt to send each notification has ended, and counts the results with what came back.
    private func outcome(of first: Int64, _ count: Int) throws -> [[String]: Int64] {
        while true {
            let members: [(String, JSONNode)] = [
                ("first", .integer(first)), ("count", .integer(Int64(count))),
            ]
            let root = try simulator.post("deliveries", members, for: "results").root
            guard root.member("pending")?.int64 == 0 else {
                Clock.sleep(milliseconds: Self.pauseMilliseconds)
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

    private static let pauseMilliseconds: Int64 = 50
}
