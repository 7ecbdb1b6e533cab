/// A subscriber to erase.
public enum ErasureSubject: Sendable, Hashable {
    /// A subscription, by its original transaction identifier.
    case originalTransaction(String)
    /// A customer of an app with all subscriptions, by the identifier of the download (`appTransactionId`).
    case appTransaction(String)

    var id: String {
        switch self {
        case .originalTransaction(let id), .appTransaction(let id): id
        }
    }

    var tombstone: TombstoneSubject {
        switch self {
        case .originalTransaction(let id): .originalTransaction(id)
        case .appTransaction(let id): .appTransaction(id)
        }
    }
}

/// What an erasure deleted, and what it found that may belong to the same person.
public struct ErasureReport: Sendable, Hashable {
    /// The deleted notifications.
    public var notificationCount = 0
    /// The deleted transactions.
    public var transactionCount = 0
    /// The deleted renewal infos.
    public var renewalCount = 0
    /// The deleted app transactions.
    public var appTransactionCount = 0
    /// The subscriptions that were erased with a download of the app.
    public var erasedOriginalTransactionIDs: Set<String> = []
    /// Other original transaction identifiers in the deleted rows. They are not erased.
    public var linkedOriginalTransactionIDs: Set<String> = []
    /// Identifiers of downloads in the deleted rows. They are not erased, because other subscriptions may share them.
    public var linkedAppTransactionIDs: Set<String> = []

    /// The deleted rows.
    public var rowCount: Int { notificationCount + transactionCount + renewalCount + appTransactionCount }
}
