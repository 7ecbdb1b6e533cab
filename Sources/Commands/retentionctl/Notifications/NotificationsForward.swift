internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import HTTPClient
internal import NotificationStore
internal import System

struct NotificationsForward: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Passes stored notifications on to the receivers of the configuration.",
        discussion: """
            Posts the body of each notification as Apple sent it to every URL of notifications.forward whose environments, \
            apps and types match, to each receiver at least once and in the order of storing. A receiver that does not answer \
            with 2xx gets the notification again after 1, 2, 4 … 300 seconds, or later when it asks for that by Retry-After; \
            what comes after it waits, and the other receivers do not. A notification that was refused five times (4xx, but \
            not 408, 425 and 429) is set aside: --aside lists such notifications, --again sends one again. Redirects are not \
            followed. The proxies that https_proxy, all_proxy and no_proxy name are used for https: they see the host alone.

            Without --follow the command passes on what is stored, gives a receiver up at its first failure that is no \
            refusal, and then ends with 69. After a kill, up to a hundred notifications are sent again: receivers recognize \
            them by their notificationUUID. Messages name a receiver by its host, because its URL may have a secret. A URL \
            that is new or changed is a new receiver and gets everything that is stored; the old one holds `store prune` back \
            until --forget.

            Example:
              retentionctl notifications forward --follow \\
                --config /etc/retentiond/retentiond.json
            """
    )

    @Flag(name: .shortAndLong, help: "Go on until the command is stopped.")
    var follow = false

    @Option(help: "Forget a receiver that the configuration no longer has; `store prune` prints its name.")
    var forget: String?

    @Flag(help: "List the notifications that were set aside, or send them again with --again.")
    var aside = false

    @Option(help: "With --aside: send the one with this UUID again, or `all`, to those that refused it.")
    var again: String?

    @Option(help: "The authorities of the receivers' certificates, in PEM.", completion: .pem)
    var cacert: String?

    @OptionGroup var selection: StoreSelection

    func validate() throws {
        guard selection.config != nil else {
            throw ValidationError("Give --config: the receivers come from the configuration alone.")
        }
        guard forget == nil || !follow else { throw ValidationError("--forget does not go with --follow.") }
        guard !aside || !follow && forget == nil else {
            throw ValidationError("--aside does not go with --follow and --forget.")
        }
        guard again == nil || aside else { throw ValidationError("--again needs --aside.") }
    }

    func run() throws {
        let receivers = try (selection.configuration()?.notifications?.forward ?? []).map {
            let filter = ForwardFilter(environments: $0.environments, apps: $0.apps, types: $0.types)
            return try ForwardReceiver(url: $0.url, filter: filter)
        }
        if let forget { return try remove(forget, receivers) }
        guard !receivers.isEmpty else {
            throw ToolError(
                .data, code: "forward.no-receiver",
                "the configuration names no receiver in notifications.forward")
        }
        let store = try selection.open(aside && again == nil ? .read : .write)
        if aside, again == nil {
            return try forEachAside(receivers, in: store) { _, row in Console.print(Self.line(row)) }
        }
        let client = try client()
        if let again { return try send(again, to: receivers, store, client) }
        let forwarder = try Forwarder(store, receivers, client) { Console.log($0) }
        let failing = try forwarder.run(follow: follow)
        for receiver in receivers { try Console.print(Self.summary(of: receiver, in: store)) }
        try Self.check(failing)
    }

    private static func check(_ failing: [String]) throws {
        guard failing.isEmpty else {
            throw ToolError(
                .unreachable, code: "forward.receiver-failed",
                "not everything was passed on to \(failing.joined(separator: ", "))")
        }
    }

    private func client() throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        configuration.timeoutMilliseconds = 10_000
        // The status says whether the receiver has the notification. What it writes behind that is not read to the end.
        configuration.needsWholeBody = false
        configuration.responseByteCount = 64 << 10
        configuration.usesEnvironmentProxies = true
        configuration.userAgent = "retentionctl/\(ProductVersion.text)"
        return try HTTPClient(configuration: configuration)
    }

    private static func summary(of receiver: ForwardReceiver, in store: NotificationStore) throws -> String {
        let position = try store.cursor(named: receiver.cursorName)?.position ?? 0
        let filter = receiver.filter.description
        return
            "\(receiver.name): up to number \(position), set aside: \(try store.setAsideCount(for: receiver))"
            + (filter.isEmpty ? "" : "; only \(filter)")
    }

    private func forEachAside(
        _ receivers: [ForwardReceiver], in store: NotificationStore,
        _ body: (ForwardReceiver, SetAsideNotification) throws -> Void
    ) throws {
        for receiver in receivers {
            var page = try store.setAside(for: receiver)
            while let last = page.last {
                for row in page { try body(receiver, row) }
                page = try store.setAside(for: receiver, after: last.id)
            }
        }
    }

    private func send(
        _ uuid: String, to receivers: [ForwardReceiver], _ store: NotificationStore, _ client: HTTPClient
    ) throws {
        var (found, failing) = (false, Set<String>())
        try forEachAside(receivers, in: store) { receiver, row in
            guard uuid == "all" || row.identity.uuid == uuid else { return }
            found = true
            guard let jws = try store.jws(.notification, id: row.id) else {
                Console.print("\(receiver.host): \(row.identity.uuid) cannot be rebuilt from its rows")
                return
            }
            let outcome: String
            var isTaken = false
            do throws(HTTPClientError) {
                let status = try client.perform(receiver.request(jws)).status
                outcome = "status \(status)"
                isTaken = (200...299).contains(status)
            } catch {
                outcome = error.code
            }
            if isTaken {
                try store.removeSetAside(row.id, receiver: receiver.name)
            } else {
                failing.insert(receiver.host)
            }
            Console.print("\(receiver.host): \(row.identity.uuid) \(outcome)")
        }
        guard found else {
            Console.print("no such notification is set aside")
            throw ExitCode(ExitStatus.no.rawValue)
        }
        try Self.check(failing.sorted())
    }

    /// Removes the place of a receiver, so that `store prune` waits for it no more.
    private func remove(_ name: String, _ receivers: [ForwardReceiver]) throws {
        guard !receivers.contains(where: { $0.name == name }) else {
            throw ValidationError("The configuration has this receiver.")
        }
        let store = try selection.open(.write)
        guard try store.cursor(named: StoreCursor.forwardPrefix + name) != nil else {
            Console.print("no such receiver")
            throw ExitCode(ExitStatus.no.rawValue)
        }
        try store.removeCursor(named: StoreCursor.forwardPrefix + name)
        try store.removeSetAside(receiver: name)
        Console.print("forgotten")
    }

    private static func line(_ row: SetAsideNotification) -> String {
        let words = [row.identity.app, row.identity.environment, row.type ?? "-", row.identity.uuid]
        return
            "\(CivilTime(milliseconds: row.time)) \(row.receiver) \(words.joined(separator: " ")) status \(row.status)"
    }
}
