internal import Vocabulary

/// The reasons for which a tool of the store does not do its work, besides those of the store itself.
enum StoreToolError: CodedError, CustomStringConvertible {
    /// Neither --store nor the configuration names a store.
    case notNamed
    /// Somebody would have to agree, and nobody is there to be asked.
    case notConfirmed(String)
    /// Somebody was asked and did not agree.
    case declined
    /// The store has no such notification.
    case noNotification
    /// The app or the environment of a row is not that of its JWS.
    case rowDiffers
    /// A line is neither a line of an export nor a request body nor a JWS.
    case badLine
    /// A newer release wrote the export.
    case newerExport
    /// The store would be imported into itself.
    case sameStore
    /// The configuration names no receiver in notifications.forward.
    case noReceiver
    /// A receiver did not take a notification.
    case receiverFailed([String])

    var code: String {
        switch self {
        case .notNamed: "store.not-named"
        case .notConfirmed: "store.not-confirmed"
        case .declined: "store.declined"
        case .noNotification: "store.no-notification"
        case .rowDiffers: "store.row-differs"
        case .badLine: "store.bad-line"
        case .newerExport: "store.newer-export"
        case .sameStore: "store.same-store"
        case .noReceiver: "forward.no-receiver"
        case .receiverFailed: "forward.receiver-failed"
        }
    }

    var description: String {
        switch self {
        case .notNamed: "no store is named; give --store, or --config with the object notifications"
        case .notConfirmed(let question): "\(question): nobody is there to be asked; give --confirm"
        case .declined: "nothing was changed"
        case .noNotification: "there is no such notification"
        case .rowDiffers: "the row has another app or environment than its JWS"
        case .badLine: "neither a line of an export nor a request body nor a JWS"
        case .newerExport: "a newer release wrote this export"
        case .sameStore: "the store cannot be imported into itself"
        case .noReceiver: "the configuration names no receiver in notifications.forward"
        case .receiverFailed(let hosts): "not everything was passed on to \(hosts.joined(separator: ", "))"
        }
    }

    var status: ExitStatus {
        switch self {
        case .notNamed, .notConfirmed, .sameStore: .usage
        case .declined, .noNotification: .no
        case .rowDiffers, .badLine, .newerExport: .badData
        case .noReceiver: .configuration
        case .receiverFailed: .unreachable
        }
    }
}
