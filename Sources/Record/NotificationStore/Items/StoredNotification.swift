package import SignedPayloads
internal import SQL
internal import System

package struct StoredNotification: Sendable {
    package struct Identity: Sendable, Hashable {
        package let app: String
        package let environment: String
        package let uuid: String

        package init(app: String, environment: String, uuid: String) {
            self.app = app
            self.environment = environment
            self.uuid = uuid
        }
    }

    let received: ReceivedJWS
    package let identity: Identity
    /// The values that have columns. Identifiers that are nil here are taken from the nested parts.
    package let columns: NotificationColumns
    package let unfit: Set<String>
    package var transaction: NestedPart<TransactionColumns>?
    package var renewal: NestedPart<RenewalColumns>?
    package var appTransaction: NestedPart<AppTransactionColumns>?

    package var jws: [UInt8] { received.compact }

    package init(
        proof: StoreProof, _ received: ReceivedJWS, identity: Identity, columns: NotificationColumns,
        unfit: Set<String> = []
    ) {
        self.received = received
        self.identity = identity
        self.columns = columns
        self.unfit = unfit
    }

    init(_ verified: VerifiedPayload<SignedNotification>) {
        let notification = verified.payload
        let content = notification.content
        self.init(
            proof: StoreProof(verified), notification.received,
            identity: Identity(
                app: notification.owner.bundleId, environment: notification.owner.environment.rawValue,
                uuid: content.notificationUUID), columns: NotificationColumns(content),
            unfit: NotificationColumns.unfit(content.unusableMembers))
        transaction = notification.transaction.map { NestedPart($0) }
        renewal = notification.renewalInfo.map { NestedPart($0) }
        appTransaction = notification.appTransaction.map { NestedPart($0) }
    }
}

extension StoredNotification {
    var completedColumns: NotificationColumns {
        var columns = columns
        let (transaction, renewal) = (transaction?.columns, renewal?.columns)
        columns.originalTransactionID =
            columns.originalTransactionID ?? transaction?.originalTransactionID
            ?? renewal?.originalTransactionID
        columns.transactionID = columns.transactionID ?? transaction?.transactionID
        columns.productID = columns.productID ?? transaction?.productID ?? renewal?.productID
        columns.appTransactionID =
            columns.appTransactionID ?? transaction?.appTransactionID ?? renewal?.appTransactionID
            ?? appTransaction?.columns?.appTransactionID
        // An erasure finds the notification by one identifier. One that has several is found by all of its parts instead.
        if hasPartsOfOthers { columns.originalTransactionID = nil }
        return columns
    }

    /// Apple sends such a notification only about a subscription that moves.
    private var hasPartsOfOthers: Bool {
        let (transaction, renewal) = (transaction?.columns, renewal?.columns)
        let downloads = [
            columns.appTransactionID, transaction?.appTransactionID, renewal?.appTransactionID,
            appTransaction?.columns?.appTransactionID,
        ]
        if Set(downloads.compactMap(\.self)).count > 1 { return true }
        let subscriptions = Set(
            [
                columns.originalTransactionID, transaction?.originalTransactionID,
                renewal?.originalTransactionID,
            ].compactMap(\.self))
        return subscriptions.count > 1
            && subscriptions
                != Set(
                    [transaction?.originalTransactionID, transaction?.previousOriginalTransactionID]
                        .compactMap(\.self))
    }

    private var originalTransactionID: String? {
        columns.originalTransactionID ?? transaction?.columns?.originalTransactionID
            ?? renewal?.columns?.originalTransactionID
    }

    private var hasFaultyPart: Bool {
        transaction?.isFaulty == true || renewal?.isFaulty == true || appTransaction?.isFaulty == true
    }

    func subjects(_ uuid: SQLValue) -> [TombstoneSubject] {
        let happenedAt = columns.signedAt ?? .min
        var subjects = Set(transaction?.columns?.subjects(at: happenedAt) ?? [])
        subjects.formUnion(renewal?.columns?.subjects ?? [])
        subjects.formUnion(appTransaction?.columns?.subjects ?? [])
        if let id = columns.originalTransactionID { subjects.insert(.originalTransaction(id)) }
        if let id = columns.appTransactionID { subjects.insert(.appTransaction(id)) }
        // A part that failed its check says nothing, but whoever it names may have been erased.
        if hasFaultyPart || originalTransactionID == nil {
            subjects.formUnion(PayloadText.subjects(of: jws, at: happenedAt))
        }
        if case .text(let text) = uuid { subjects.insert(.notification(uuid: text)) }
        return Array(subjects)
    }
}

extension TransactionColumns {
    func subjects(from source: StoreSource) -> [TombstoneSubject] {
        subjects(at: Self.happenedAt(source, signedAt: signedAt, purchasedAt: purchasedAt))
    }

    /// Signed with its notification, which was deleted since. But the API signs an old transaction anew each time, so
    /// the purchase says how old that one is.
    static func happenedAt(_ source: StoreSource, signedAt: Int64?, purchasedAt: Int64?) -> Int64 {
        (source == .api ? purchasedAt : signedAt ?? purchasedAt) ?? .min
    }

    func subjects(at time: Int64) -> [TombstoneSubject] {
        (originalTransactionID.map { [.originalTransaction($0)] } ?? [])
            + (previousOriginalTransactionID.map { [.predecessor($0, at: time)] } ?? [])
            + (appTransactionID.map { [.appTransaction($0)] } ?? [])
    }
}

extension RenewalColumns {
    var subjects: [TombstoneSubject] {
        (originalTransactionID.map { [.originalTransaction($0)] } ?? [])
            + (appTransactionID.map { [.appTransaction($0)] } ?? [])
    }
}

extension AppTransactionColumns {
    var subjects: [TombstoneSubject] { appTransactionID.map { [.appTransaction($0)] } ?? [] }
}
