internal import ArgumentParser
internal import Configuration
internal import HTTPClient
internal import NotificationForwarding
internal import NotificationStore
internal import Vocabulary

/// Passes stored notifications on to other receivers.
struct NotificationsForward: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Passes every stored notification on to the receivers of the configuration.",
        discussion: """
            Posts the body of each notification as Apple sent it to every URL of notifications.forward, to each receiver at \
            least once and in the order of storing. The store keeps where each receiver has come to. A receiver that \
            answers with another status than 2xx, or does not answer, gets the notification again after 1, 2, 4 … 300 \
            seconds, or later when it asks for that by Retry-After; what comes after it waits, and the other receivers do \
            not. Redirects are not followed. A receiver that is new in the configuration gets everything that is stored.

            Without --follow the command passes on what is stored, gives a receiver up at its first failure, and then ends \
            with 69. After a kill, up to a hundred notifications are sent again: receivers recognize them by their \
            notificationUUID. Messages name a receiver by its host, because its URL may have a secret. A URL that changes, also only \
            in its secret, is a new receiver: it gets everything that is stored, and the old one holds `store prune` back until \
            --forget.

            Example:
              retentionctl notifications forward --follow \\
                --config /etc/retentiond/retentiond.json
            """
    )

    @Flag(name: .shortAndLong, help: "Go on until the command is stopped.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Forget how far a receiver came that the configuration no longer has; `store prune` prints the name.",
            valueName: "name"
        )
    )
    var forget: String?

    @Option(
        help: ArgumentHelp(
            "The authorities the receivers' certificates may come from, in PEM.",
            valueName: "file"
        ),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @OptionGroup var selection: StoreSelection

    func validate() throws {
        guard selection.config != nil else {
            throw ValidationError("Give --config: the receivers come from the configuration alone.")
        }
        guard forget == nil || !follow else { throw ValidationError("--forget does not go with --follow.") }
    }

    func run() throws {
        let urls = try selection.configuration()?.notifications?.forward.map(\.url) ?? []
        let receivers = try urls.map { try ForwardReceiver(url: $0) }
        if let forget { return try remove(forget, receivers) }
        guard !urls.isEmpty else { throw ToolFailure(StoreToolError.noReceiver) }
        let store = try selection.open(.write)
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        configuration.timeoutMilliseconds = 10_000
        // The status says whether the receiver has the notification. What it writes behind that is not read to the end.
        configuration.needsWholeBody = false
        configuration.responseByteCount = Self.answerByteCount
        configuration.userAgent = "retentionctl/\(ProductVersion.text)"
        let client = try HTTPClient(configuration: configuration)
        let forwarder = try Forwarder(store, receivers, client) { Console.note(Self.line($0)) }
        let failing = try forwarder.run(follow: follow)
        guard failing.isEmpty else { throw ToolFailure(StoreToolError.receiverFailed(failing)) }
    }

    /// The bytes of an answer that are read before the connection is closed.
    private static let answerByteCount = 64 << 10

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
        Console.print("forgotten")
    }

    private static func line(_ event: ForwardEvent) -> String {
        switch event {
        case .failed(let host, let reason, let milliseconds):
            "\(host): \(reason), again in \((milliseconds + 999) / 1000) s"
        case .recovered(let host): "\(host): answers again"
        case .damaged(let host, let id):
            "\(host): notification \(id) cannot be rebuilt and is not passed on; run retentionctl store verify"
        case .storeFailed(let code, let milliseconds):
            "store: \(code), again in \((milliseconds + 999) / 1000) s"
        }
    }
}
