internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import Recovery
internal import SignedPayloads
internal import System

struct SubscriptionsSync: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract:
            "Brings the statuses and all transactions of subscribers from Apple's server into the store.",
        discussion: """
            For each identifier, calls Get All Subscription Statuses and reads Get Transaction History to its end. Every \
            transaction and renewal info is verified and stored with the source `api`. Apple's server signs them anew for \
            each call, so another run adds copies with a later date. --stale takes the subscribers of the store about whom \
            nothing came for that many days.

            The command ends with 65 when something could not be verified or stored, and with 1 when Apple's server does \
            not know a subscriber, whom it names with the line. After an interruption, start the same command again: with \
            --stale it goes on with those that are left, with the same --ids behind the last line that was done. The app of \
            the credentials must be one of --config, if that is given. The store is made when there is none.

            Example:
              retentionctl subscriptions sync --ids subscribers.txt \\
                --environment Sandbox --profile apple.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(help: "A file with a transaction identifier of each subscriber on a line; - for standard input.")
    var ids: String?

    @Option(help: "The subscribers about whom nothing came for this many days, 0 to 3650.")
    var stale: Int64?

    @OptionGroup var options: RecoveryOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (ids == nil) != (stale == nil) else { throw ValidationError("Give --ids or --stale.") }
        if let stale, !(0...3650).contains(stale) { throw ValidationError("--stale must be 0 to 3650.") }
    }

    func run() throws {
        let configuration = try selection.configuration()
        let address = try selection.address()
        let session = try options.session(configuration)
        let listed = try ids.map { try Self.lines(of: $0) }
        let store = try StoreSelection.open(address, .create)
        let lines =
            try listed
            ?? store.staleSubscribers(
                app: session.owner.bundleId, environment: session.owner.environment.rawValue,
                before: Clock.wallMilliseconds() - (stale ?? 0) * 86_400_000
            ).map { (nil, $0) }
        let place = listed.map { Self.cursor(of: $0.map(\.identifier), session.owner) }
        let done = try place.flatMap { try store.cursor(named: $0)?.position } ?? 0
        let start = min(max(0, Int(clamping: done)), lines.count)
        if start > 0 { Console.log("goes on behind line \(lines[start - 1].number ?? start)") }
        let sync = SubscriptionSync(
            api: session.apple.client, store: store, verifier: session.verifier, owner: session.owner,
            now: Clock.wallMilliseconds)
        var count = start
        var report = SubscriptionSync.Report()
        do {
            report = try sync.run(lines[start...].map(\.identifier)) { current in
                report = current
                if let refused = current.refused.last, refused.identifier == lines[count].identifier {
                    Console.log("\(Self.name(lines[count])): \(refused.error.code): \(refused.error)")
                }
                count += 1
                if let place { try store.setCursor(StoreCursor(position: Int64(count)), named: place) }
                Console.progress("\(count) of \(lines.count) subscribers: \(current.counts.newCount) new")
            }
        } catch {
            show(report, session, count, of: lines.count)
            if count < lines.count {
                Console.log("\(Self.name(lines[count])): not done; the same command goes on here")
            }
            throw ToolError(error, file: error is NotificationStoreError ? address.description : nil)
        }
        if let place { try store.removeCursor(named: place) }
        show(report, session, count, of: lines.count)
        if report.counts.lostCount > 0 { throw ExitCode(ExitStatus.data.rawValue) }
        if !report.refused.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// The name of the cursor that says how far exactly this list is done for an app in an environment.
    private static func cursor(of identifiers: [String], _ owner: PayloadOwner) -> String {
        let text = ([owner.bundleId, owner.environment.rawValue] + identifiers).joined(separator: "\n")
        return "sync:" + SHA256.hash(text.utf8Span.span).hexadecimal.prefix(32)
    }

    private static func name(_ line: (number: Int?, identifier: String)) -> String {
        (line.number.map { "line \($0), " } ?? "") + "identifier \(line.identifier)"
    }

    private static func lines(of file: String) throws -> [(number: Int?, identifier: String)] {
        var found: [(number: Int?, identifier: String)] = []
        var seen: Set<String> = []
        try InputLines.forEach(in: file, lineLimitBytes: 256) { number, line in
            let word = String(decoding: line.trimmed, as: UTF8.self)
            if !word.isEmpty, seen.insert(word).inserted { found.append((number, word)) }
        }
        return found
    }

    private func show(
        _ report: SubscriptionSync.Report, _ session: RecoverySession, _ done: Int, of total: Int
    ) {
        Console.endProgress()
        let refused = Dictionary(report.refused.map { ($0.error.code, 1) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }
        let members: [(String, JSONNode)] = [
            ("app", .string(session.owner.bundleId)),
            ("environment", .string(session.owner.environment.rawValue)),
            ("subscribers", .integer(Int64(report.doneCount))),
            ("done", .integer(Int64(done))), ("of", .integer(Int64(total))),
            ("refusedSubscribers", .object(refused.map { ($0.key, .integer(Int64($0.value))) })),
        ]
        Report(members + report.counts.members).print(json: output.json)
    }
}
