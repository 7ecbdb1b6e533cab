internal import ArgumentParser
internal import NotificationStore

/// The options that choose notifications of a store.
struct NotificationSelection: ParsableArguments {
    @Option(help: ArgumentHelp("Only this app.", valueName: "bundle-id"))
    var app: String?

    @Option(help: ArgumentHelp("Only this environment.", valueName: "name"))
    var environment: String?

    @Option(help: ArgumentHelp("Only this notificationType.", valueName: "name"))
    var type: String?

    @Option(help: ArgumentHelp("Only this subtype.", valueName: "name"))
    var subtype: String?

    @Option(help: ArgumentHelp("Only this product.", valueName: "id"))
    var product: String?

    @Option(help: ArgumentHelp("Only this subscription.", valueName: "id"))
    var originalTransactionId: String?

    @Option(
        help: ArgumentHelp("Only what came this way: push, history or import.", valueName: "way"),
        transform: Self.source
    )
    var source: StoreSource?

    @Option(
        help: ArgumentHelp(
            "Only what was received at this time or later: RFC 3339, or milliseconds since 1970.",
            valueName: "time")
    )
    var from: TimeArgument?

    @Option(help: ArgumentHelp("Only what was received before this time.", valueName: "time"))
    var to: TimeArgument?

    @Option(help: ArgumentHelp("Only what Apple signed at this time or later.", valueName: "time"))
    var signedFrom: TimeArgument?

    @Option(help: ArgumentHelp("Only what Apple signed before this time.", valueName: "time"))
    var signedTo: TimeArgument?

    @Flag(help: "Only those with a part that failed its check, or a value, also of a part, that did not fit.")
    var marked = false

    /// What the store looks for.
    var filter: NotificationFilter {
        var filter = NotificationFilter()
        filter.app = app
        filter.environment = environment
        filter.type = type
        filter.subtype = subtype
        filter.productID = product
        filter.originalTransactionID = originalTransactionId
        filter.source = source
        filter.receivedFrom = from?.milliseconds
        filter.receivedTo = to?.milliseconds
        filter.signedFrom = signedFrom?.milliseconds
        filter.signedTo = signedTo?.milliseconds
        filter.isMarked = marked
        return filter
    }

    private static func source(_ word: String) throws -> StoreSource {
        guard let source = StoreSource(rawValue: word), source != .api else {
            throw ValidationError("--source must be push, history or import.")
        }
        return source
    }
}
